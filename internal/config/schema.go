package config

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
	"strings"
)

// JSONSchema is the schema of pglockdep.yaml for editors, draft 2020-12.
//
//go:embed pglockdep.schema.json
var JSONSchema []byte

// schemaOf makes the JSON schema from the tags that the decoder reads, so
// that the two cannot say different things.
func schemaOf() ([]byte, error) {
	s := structSchema(reflect.TypeFor[Config]())
	s["$schema"] = "https://json-schema.org/draft/2020-12/schema"
	s["title"] = "pglockdep configuration"
	out, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("writing the JSON schema: %w", err)
	}
	return append(out, '\n'), nil
}

func structSchema(t reflect.Type) map[string]any {
	props := map[string]any{}
	var required []string
	var scalar map[string]any
	for i := range t.NumField() {
		f := t.Field(i)
		name := f.Tag.Get("yaml")
		if name == "-" {
			continue
		}
		p := typeSchema(f.Type, f.Tag)
		p["description"] = f.Tag.Get("doc")
		props[name] = p
		if f.Tag.Get("required") != "" {
			required = append(required, name)
		}
		if f.Tag.Get("scalar") != "" {
			scalar = typeSchema(f.Type, f.Tag)
		}
	}
	s := map[string]any{"type": "object", "properties": props, "additionalProperties": false}
	if required != nil {
		s["required"] = required
	}
	if scalar != nil {
		return map[string]any{"anyOf": []any{scalar, s}}
	}
	return s
}

func typeSchema(t reflect.Type, tag reflect.StructTag) map[string]any {
	switch t.Kind() {
	case reflect.Slice:
		return map[string]any{"type": "array", "items": typeSchema(t.Elem(), tag)}
	case reflect.Map:
		s := map[string]any{"type": "object", "additionalProperties": typeSchema(t.Elem(), tag)}
		if tag.Get("keys") == "kinds" {
			s["propertyNames"] = map[string]any{"enum": kinds()}
		}
		return s
	case reflect.Struct:
		return structSchema(t)
	case reflect.Int:
		s := map[string]any{"type": "integer"}
		if def, err := strconv.Atoi(tag.Get("default")); err == nil {
			s["default"] = def
		}
		return s
	}
	s := map[string]any{"type": "string", "minLength": 1}
	if words := tag.Get("enum"); words != "" {
		s["enum"] = strings.Split(words, ",")
	} else if tag.Get("keys") == "kinds" {
		s["enum"] = kinds()
	}
	if def := tag.Get("default"); def != "" {
		s["default"] = def
	}
	if p := tag.Get("pattern"); p != "" {
		s["pattern"] = p
		s["type"] = []string{"string", "integer"}
	}
	return s
}
