"Every special form and core macro of Hy, in the ways that compile to different code."
(import os [path :as p  sep]
        collections [OrderedDict]
        functools *
        itertools)
(setv x 1  [a b #* rest] [1 2 3 4])
(setv #^ int annotated 3)
(setv is? True  kebab-name 2  *earmuffs* 3  λ 4)
(setv p.attribute None  (get {} "k") 1)

(defn plain [])
(defn one [a] a)
(defn options [a / b [c 1] #* rest d [e 2] #** kw] "Docstring." (print a b c) [a b c rest d e kw])
(defn #^ int typed [#^ str a #^ (of list int) [b None]] 1)
(defn [staticmethod (wraps one)] decorated [f] f)
(defn :async later [f] (await f) (for [:async x f] (print x)) (with [:async y f] y))
(defn generator [n] (yield) (yield n) (yield-from [1 2]) (setv got (yield 3)) got)
(defn closure [n] (setv total 0) (defn inner [k] (nonlocal total) (+= total k) total) inner)
(defn globals-too [] (global counter) (setv counter 1) (del counter))
(defn if [a] a)
(defn class? [lambda] lambda)
(setv square (fn [n] (* n n))  anonymous (fn [] (print 1) (print 2))  kws (fn [#* a #** k] a))

(defn conditions [a b]
  (if a (print 1) (print 2))
  (when (and a (or b (not a))) (print 3) b)
  (cond (< a 1) 2  (= 1 a b) (do (print 1) 3)  True 4)
  (setv v (if a (do (print 1) 2) 3))
  (setv w (cond a (try (one a) (except [] 1)) b 2))
  (unless-like a)
  (if (do (setv q 1) q) (if b 1 2) (cond)))
(defn unless-like [a] (when (not a) a))

(defn loops [xs]
  (for [x xs] (when x (continue)) (break))
  (for [x xs y (range x) :if y :setv z (+ x y) :do (print z)] (print x y z))
  (for [[a b] xs] a (else (print "else")))
  (while (> x 1) (-= x 1) (else 2))
  (while True (if x (break) (continue)))
  (while (do (setv n (one 1)) n) (print n))
  (lfor x xs x) (sfor x xs :if x (* x 2)) (dfor k xs k (+ k 1)) (gfor x xs y x (print x y))
  (lfor x xs :setv y (+ x 1) :if (> y 2) :do (print y) y)
  (lfor x xs (do (setv t x) (print t) t))
  (lfor x xs (try (one x) (except [e ValueError] e)))
  (list (gfor [a b] (enumerate xs) :if a b)))

(defn tries [f]
  (try (f) (except [ValueError] 1) (except [e [TypeError KeyError]] (print e) e) (except [] 3) (else 4) (finally (print 5)))
  (setv value (try (f) (except [e Exception] (raise (ValueError "x") :from e))))
  (try (f) (finally (f)))
  (setv r (try 1 (except [OSError] 2) (else 3)))
  (with [o (open "x") _ (f)] (print o) (f))
  (with [(f)] 1)
  (setv inside (with [y (f)] (f y)))
  (assert f) (assert (f) "message") (assert (do (setv q 1) q) (do (print 1) "m"))
  (raise) )

(defclass Simple [])
(defclass [(one 1)] Class [Simple :metaclass type]
  "Docstring."
  (setv field 1  #^ int typed 2)
  #^ str bare
  (defn __init__ [self [a 1]] (setv self.a a  self._b 2) (super))
  (defn [property] value [self] (. self a))
  (defn :async method [self] (lfor :async x (self.it) x))
  (defclass Inner [] (setv deep (lfor i (range 3) i))))

(defn operators [a b]
  [(+ a) (+ a b 1) (- a) (- a b) (* a b 2) (/ a) (/ a b) (// a b) (% a b) (** a b) (@ a b) (<< a 1) (>> a 1) (& a b) (| a b)
   (^ a b) (bnot a) (not a) (and) (or) (and a b 3) (or a b 3) (= a b) (!= a b) (< a b 3) (<= a b) (> a b) (>= a b)
   (is a None) (is-not a None) (in a b) (not-in a b) (get a 0 "k") (cut a 1 2) (cut a 1) (cut a 1 None 2) (. a b [0] (m 1) c)
   (a.b 1 :k 2 #* b #** {"z" 1}) (.method a 1) (.deep.method a) #(1 2) #{1 2} {"k" 1 #** a} [#* a 1] "s" b"b" f"{a} {b !r :>10}"
   f"{(one 1) = } {{}}" 'quoted `(a ~b ~@a) :keyword (:keyword a) ... 1j 1_000 0x1f NaN Inf (chainc 1 < a <= b)])

(defn assignments [a]
  (+= a 1) (-= a 1) (*= a 1) (/= a 1) (//= a 1) (%= a 1) (**= a 1) (<<= a 1) (>>= a 1) (&= a 1) (|= a 1) (^= a 1)
  (setv [x y] a  (get a 0) 1  (. a b) 2  [p [q #* r]] a)
  (setx w (one a)) (when (setx m 1) m) (del x (get a 0) a.b) (del)
  (let [x 1 y (+ x 1) [q r] a] (setv y 3) (fn [] (+ x y)) (let [x 2] x))
  (do) (do 1) (do (print 1) (print 2)) (pragma :warn-on-core-shadow False) (py "a if w else 1") (pys "a = 3\nb = 4"))

(defmacro twice [form] `(do ~form ~form))
(defmacro hygienic [a] (setv g (hy.gensym)) `(let [~g ~a] (+ ~g ~g)))

(defn macros [a] (twice (print a)) (hygienic a) (-> a (one) (print)) (hy.eval '(+ 1 1)) (eval-when-compile (setv q 1)) (eval-and-compile 1)
  (do-mac `(print ~(+ 1 2))) (local-macro))
(defn local-macro [] (defmacro m [] 1) (m))
(defn threading [a] (hy.M.math.sqrt 4) (hy.I.math.sqrt 4))
