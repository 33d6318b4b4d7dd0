"""Chameleon: page templates with every statement, kind of expression and option."""

from __future__ import annotations

from chameleon import PageTemplate, PageTextTemplate

PAGES = [
    """<html xmlns:tal="http://xml.zope.org/namespaces/tal" xmlns:metal="http://xml.zope.org/namespaces/metal"
 xmlns:i18n="http://xml.zope.org/namespaces/i18n" i18n:domain="d"><tal:x define="global g 1; (a, b) items[0]; c a|b|None">
 <p tal:repeat="(key, value) items" tal:condition="key" tal:attributes="title value; class python: 'x' if key else None; id default">
 ${key} ${structure: value} ${repeat.key.index if 0 else ''} ${repeat['key'].odd()} $${not} ${'%s' % value}</p>
 <b tal:content="string:a $key ${value|None}" tal:on-error="string:failed ${error.type}" tal:omit-tag="not: c">old</b>
 <i tal:replace="structure c"/><u tal:switch="c"><s tal:case="1">1</s><s tal:case="a">2</s><s tal:case="default">3</s></u>
 <em i18n:translate="message">Hello <span i18n:name="who" tal:content="name">w</span> <?python z = [q for q in items if q] ?></em>
 <img title="t" i18n:attributes="title title-id" tal:attributes="attributes"/>${z}</tal:x></html>""",
    """<html metal:define-macro="outer" xmlns:metal="http://xml.zope.org/namespaces/metal"><head metal:define-slot="head">h</head>
 <div metal:define-macro="inner"><span metal:define-slot="body">none ${name}</span></div>
 <div metal:use-macro="macros['inner']"><b metal:fill-slot="body" tal:repeat="i range(3)">${i} ${name}</b></div></html>""",
    """<div metal:use-macro="load: base.pt"/>""", "plain", "<a/>",
    """<p tal:define="f lambda x: x + name; d {k: v for k, v in items}; e exists: q; n not: name; i import: os.path; w python: (yes := 1)">
 ${f('a')} ${d} ${e} ${[f(o) for o in name]} ${sum(len(v) for _, v in items)} ${i.join('a', name)} ${name[0:1]} ${-1 if n else {1, 2}}
 <?python
def helper(a, b=name, *c, **d):
    for one in c:
        try: yield one
        except StopIteration: return
    else: yield from b
class K:
    attribute = name
?>${list(helper(1))} ${K.attribute}</p>""",
]  # fmt: skip
OPTIONS = [{}, {"trim_attribute_space": True, "enable_data_attributes": True}, {"boolean_attributes": {"checked"}},
           {"implicit_i18n_translate": True}, {"restricted_namespace": False}, {"strict": False},
           {"literal_false": True}, {"encoding": "utf-8"}]  # fmt: skip


def generate(folder):
    for options in OPTIONS:
        for page in PAGES:
            attempt(lambda: PageTemplate(page, **options))
        attempt(lambda: PageTextTemplate("Hello ${name}: ${[i for i in items]}", **options))


def attempt(make):
    try:
        template = make()
        template.cook_check() if hasattr(template, "cook_check") else None
        template(name="n", items=[("a", "b"), ("c", "d")], attributes={"alt": "x"}, translate=lambda text, **rest: text)
    except Exception as error:
        print(type(error).__name__, str(error).splitlines()[:1])
