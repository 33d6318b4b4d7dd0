try:
    import a
except ImportError:
    d = None
finally:
    import os.path
    from b import c
