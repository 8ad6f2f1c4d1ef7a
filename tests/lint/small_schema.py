# SPDX-License-Identifier: Apache-2.0
"""JSON Schema as far as cli/share/tma.schema.json and sarif_written.schema.json use it, for machines without the
package jsonschema."""
import re

TYPES = {"string": str, "integer": int, "boolean": bool, "array": list, "object": dict, "null": type(None)}


def is_type(value, name):
    return isinstance(value, TYPES[name]) and not (name == "integer" and isinstance(value, bool))


def complaints(value, schema, root, where="$"):
    """What is wrong with a value."""
    unknown = set(schema) - {"$ref", "anyOf", "oneOf", "const", "enum", "type", "properties", "required",
                             "additionalProperties", "items", "minItems", "uniqueItems", "minimum", "pattern",
                             "description", "title", "$schema", "$defs"}
    assert not unknown, f"this validator does not know {unknown}"
    found = []
    if "$ref" in schema:
        found += complaints(value, root["$defs"][schema["$ref"].rsplit("/", 1)[-1]], root, where)
    for word in ("anyOf", "oneOf"):
        fitting = [not complaints(value, one, root, where) for one in schema.get(word, [])]
        if fitting and (sum(fitting) != 1 if word == "oneOf" else not any(fitting)):
            found.append(f"{where}: {sum(fitting)} of {word} fit")
    if "const" in schema and value != schema["const"]:
        found.append(f"{where}: {value!r} is not {schema['const']!r}")
    if "enum" in schema and value not in schema["enum"]:
        found.append(f"{where}: {value!r} is none of {schema['enum']}")
    if "type" in schema:
        names = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
        if not any(is_type(value, name) for name in names):
            return [*found, f"{where}: {value!r} is no {names}"]
    if isinstance(value, dict):
        known = schema.get("properties", {})
        found += [f"{where}: no {key}" for key in schema.get("required", []) if key not in value]
        for key, inner in value.items():
            if key in known:
                found += complaints(inner, known[key], root, f"{where}.{key}")
            elif schema.get("additionalProperties") is False:
                found.append(f"{where}: {key} is not in the schema")
    if isinstance(value, list):
        for i, inner in enumerate(value if "items" in schema else []):
            found += complaints(inner, schema["items"], root, f"{where}[{i}]")
    return [*found, *outside(value, schema, where)]


def outside(value, schema, where):
    """What is wrong with a value's size, or with its letters."""
    if isinstance(value, list) and len(value) < schema.get("minItems", 0):
        yield f"{where}: {len(value)} items"
    if isinstance(value, list) and schema.get("uniqueItems") and any(one in value[:i] for i, one in enumerate(value)):
        yield f"{where}: the same item twice"
    if is_type(value, "integer") and value < schema.get("minimum", value):
        yield f"{where}: {value} is less than {schema['minimum']}"
    if isinstance(value, str) and not re.search(schema.get("pattern", ""), value):
        yield f"{where}: {value!r} does not match {schema['pattern']}"
