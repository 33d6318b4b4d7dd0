"""Keyword arguments and items beside mappings that are displays themselves."""

C0 = L(a=1, b=2, **{"unlimited-ocr": "UnlimitedOCRConfig"}, c=3, **{"deepseek_v41": "DeepseekV41Config"}, d="FlintConfig", e=1)
C1 = L(a=1, b=2, **{"unlimited-ocr": "UnlimitedOCRConfig"}, c=3, **{"deepseek-v41": "DeepseekV41Config"}, d="FlintConfig", e=1)
C2 = L(**t, **{"%s_id" % x: y, "%s_id" % z: y})
C3 = L(**{"%s_id" % x: y, "%s_id" % z: y})
C4 = L(**t, **{"%s_id" % x: y, "%s_id" % z: y}, **u, k=1, **{"u": y}, **{"u-v": y, "%s_id" % z: y})
C5 = {'a': 1, **{'b': 2}}
C6 = {'a': 1, **t, **{'b': 2}, 'c': 5, 'd': 4}
C7 = {'a': 1, 'b': 2, 'c': x, 'd': x, 'e': x, 'f': x, 'g': x, 'h': x, 'i': x, 'j': x, 'k': x, 'l': x, 'm': x, 'n': x, 'o': x, 'p': x, 'q': x, 'r': x, 's': x, 't': x, **u, 'v': x, 'w': x}
C8 = dict(a=1, b=2, c=x, d=x, e=x, f=x, g=x, h=x, i=x, j=x, k=x, l=x, m=x, n=x, o=x, p=x, q=x, r=x, s=x, t=x, **u, v=x, w=x)
C9 = dict(*a, **u, **{'class': 1, 'v': 2}, w=x)
C10 = dict(*a, **{'class': 1, 'v': 2}, w=x)
C11 = dict(*a, v=5, **{'class': 1}, **{}, w=x)
f(**{**a, **b})
f(x=1, **{**a, **b})
f(**{**a, 'c': b})
f(*a, **{**a, 'c': b})
f(*a, c=1, **{**a, 'c': b})
f(1, *a, c=1, **a)
f(1, 2, **{'e': g, **a})


class C:
    def f(self): return g(**{'a': 1}, __b=2, **{'__c': 3})
