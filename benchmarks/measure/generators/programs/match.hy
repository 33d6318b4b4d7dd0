(defn matching [a]
  (match a
    0 "zero"
    (| 1 2) :as n n
    [x #* rest] :if x (do (print rest) x)
    {"k" v #** others} [v others]
    (Point :x 0 y) 1
    "text" (lfor i a i)
    None None
    _ (try (a) (except [] 3))))
