"""fastjsonschema: validators of schemas with every keyword."""

from __future__ import annotations

import fastjsonschema

PARTS = {
    "a": {"type": "string", "minLength": 1, "maxLength": 9, "pattern": "^[a-z]+$", "default": "x"},
    "b": {"type": ["integer", "null"], "minimum": 1, "exclusiveMaximum": 9, "multipleOf": 2},
    "c": {"type": "array", "items": [{"type": "number"}, {"$ref": "#/definitions/d"}], "additionalItems": {"type": "boolean"}},
    "d": {"type": "array", "items": {"enum": [1, "a", None]}, "minItems": 1, "maxItems": 3, "uniqueItems": True},
    "e": {"anyOf": [{"type": "string"}, {"const": 3}], "not": {"const": "q"}},
    "f": {"oneOf": [{"allOf": [{"type": "object"}, {"required": ["z"]}]}, {"type": "null"}]},
    "g": {"if": {"minimum": 3}, "then": {"multipleOf": 3}, "else": {"multipleOf": 2}},
    "h": {"type": "object", "properties": {"i": {"$ref": "#"}}, "patternProperties": {"^x": {"type": "string"}},
          "additionalProperties": False, "minProperties": 1, "maxProperties": 5, "dependencies": {"i": ["j"], "k": {"required": ["l"]}},
          "propertyNames": {"pattern": "."}},
    "i": {"type": "string", "format": "date-time"}, "j": {"format": "ipv4", "type": "string"}, "k": True, "l": False,
    "m": {"contains": {"type": "integer"}, "contentEncoding": "base64"},
}  # fmt: skip


def generate(folder):
    whole = {"$schema": "", "type": "object", "properties": PARTS, "required": ["a"],
             "definitions": {"d": {"type": "object", "additionalProperties": {"$ref": "#/definitions/d"}}}}  # fmt: skip
    codes = []
    for draft in ("http://json-schema.org/draft-04/schema#", "http://json-schema.org/draft-06/schema#", "http://json-schema.org/draft-07/schema"):
        for schema in (dict(whole, **{"$schema": draft}), *({"$schema": draft, **part, "definitions": whole["definitions"]} for part in PARTS.values() if isinstance(part, dict))):
            for options in ({}, {"use_default": False}, {"use_formats": False}):
                try:
                    fastjsonschema.compile(schema, **options)
                    codes.append(compile(fastjsonschema.compile_to_code(schema), "validator.py", "exec", dont_inherit=True))
                except Exception as error:
                    print(type(error).__name__, error)
    return codes
