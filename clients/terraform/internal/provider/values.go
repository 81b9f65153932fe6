package provider

import (
	"encoding/json"
	"fmt"
	"math/big"
	"reflect"
	"sort"

	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// toJSON converts a value of a configuration, plan or state to what decoded JSON has. Objects have no fields that are
// null or unknown; the items of a set are sorted.
func toJSON(value tftypes.Value) any {
	if value.IsNull() || !value.IsKnown() {
		return nil
	}
	switch kind := value.Type(); {
	case kind.Is(tftypes.String):
		return as[string](value)
	case kind.Is(tftypes.Bool):
		return as[bool](value)
	case kind.Is(tftypes.Number):
		return json.Number(digits(as[*big.Float](value)))
	case kind.Is(tftypes.Object{}), kind.Is(tftypes.Map{}):
		found := document{}
		for name, inner := range as[map[string]tftypes.Value](value) {
			if converted := toJSON(inner); converted != nil {
				found[name] = converted
			}
		}
		return found
	default:
		found := []any{}
		for _, inner := range as[[]tftypes.Value](value) {
			found = append(found, toJSON(inner))
		}
		if kind.Is(tftypes.Set{}) {
			sort.Slice(found, func(one, other int) bool { return text(found[one]) < text(found[other]) })
		}
		return found
	}
}

// toObject converts a value of an object type; null is an empty document.
func toObject(value tftypes.Value) document {
	found, _ := toJSON(value).(document)
	if found == nil {
		found = document{}
	}
	return found
}

func as[T any](value tftypes.Value) T {
	var found T
	if err := value.As(&found); err != nil {
		panic(fmt.Sprintf("a value of type %s: %s", value.Type(), err)) // the type was looked at before
	}
	return found
}

func digits(number *big.Float) string {
	if number.IsInt() {
		return number.Text('f', 0)
	}
	return number.Text('g', -1)
}

func text(value any) string {
	found, _ := json.Marshal(value)
	return string(found)
}

// toValue converts decoded JSON to a value of a type; within a dynamic type the JSON's own types are used.
func toValue(found any, kind tftypes.Type) (tftypes.Value, error) {
	if kind.Is(tftypes.DynamicPseudoType) {
		kind = typeOf(found)
	}
	if found == nil {
		return tftypes.NewValue(kind, nil), nil
	}
	switch found := found.(type) {
	case document:
		return objectValue(found, kind)
	case []any:
		return listValue(found, kind)
	case json.Number:
		number, _, err := big.ParseFloat(found.String(), 10, 512, big.ToNearestEven)
		if err == nil && kind.Is(tftypes.Number) {
			return tftypes.NewValue(kind, number), nil
		}
		return checked(found.String(), kind)
	default:
		return checked(found, kind)
	}
}

func objectValue(found document, kind tftypes.Type) (tftypes.Value, error) {
	values := map[string]tftypes.Value{}
	types := map[string]tftypes.Type{}
	switch kind := kind.(type) {
	case tftypes.Object:
		types = kind.AttributeTypes
	case tftypes.Map:
		for name := range found {
			types[name] = kind.ElementType
		}
	}
	for name, inner := range types {
		converted, err := toValue(found[name], inner)
		if err != nil {
			return converted, fmt.Errorf("%s: %w", name, err)
		}
		values[name] = converted
	}
	return checked(values, kind)
}

func listValue(found []any, kind tftypes.Type) (tftypes.Value, error) {
	values := []tftypes.Value{}
	for index, item := range found {
		inner := tftypes.Type(tftypes.DynamicPseudoType)
		switch kind := kind.(type) {
		case tftypes.Tuple:
			inner = kind.ElementTypes[index]
		case tftypes.List:
			inner = kind.ElementType
		case tftypes.Set:
			inner = kind.ElementType
		}
		converted, err := toValue(item, inner)
		if err != nil {
			return converted, fmt.Errorf("%d: %w", index, err)
		}
		values = append(values, converted)
	}
	return checked(values, kind)
}

func checked(found any, kind tftypes.Type) (tftypes.Value, error) {
	if err := tftypes.ValidateValue(kind, found); err != nil {
		return tftypes.Value{}, fmt.Errorf("the server's answer has another type than %s: is it of this version?", kind)
	}
	return tftypes.NewValue(kind, found), nil
}

// typeOf returns the type of a value below a dynamic attribute.
func typeOf(found any) tftypes.Type {
	switch found := found.(type) {
	case document:
		types := map[string]tftypes.Type{}
		for name, inner := range found {
			types[name] = typeOf(inner)
		}
		return tftypes.Object{AttributeTypes: types}
	case []any:
		types := []tftypes.Type{}
		for _, inner := range found {
			types = append(types, typeOf(inner))
		}
		return tftypes.Tuple{ElementTypes: types}
	case bool:
		return tftypes.Bool
	case json.Number:
		return tftypes.Number
	case nil:
		return tftypes.DynamicPseudoType
	default:
		return tftypes.String
	}
}

// equal compares two values of decoded JSON; a list of a set attribute has to be sorted before.
func equal(one, other any) bool { return reflect.DeepEqual(one, other) }
