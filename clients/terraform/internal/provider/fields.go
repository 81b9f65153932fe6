package provider

import (
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"
)

// part is how an attribute is set, and what the server makes of it.
type part int

const (
	required  part = 1 << iota // to be set; any other attribute but a computed one may be left out
	computed                   // given by the server, which can change it
	secret                     // computed, and in the answer to its creation only
	fixed                      // a change replaces the object
	addressed                  // in the path of the object and not in its body
	local                      // never sent in a body: a parameter, or the cause of a rotation
	measured                   // has durations, sizes or instants, which are compared by value
)

// field is an attribute of a resource.
type field struct {
	name   string
	of     attr.Type // of a nested field: object, or a set or map without its element type
	nested []field
	part   part
	def    any    // the value that the server fills in; nil without one
	shown  string // the field of the answer in which the value is as a caller wrote it, if it is not `name`
	about  string
}

var (
	words  = types.SetType{ElemType: types.StringType}
	levels = types.ListType{ElemType: types.StringType}
	texts  = types.MapType{ElemType: types.StringType}
)

func (f field) has(wanted part) bool { return f.part&wanted != 0 }

// isSent returns whether the object's body has the field.
func (f field) isSent() bool { return !f.has(computed | secret | local) }

// isHidden returns whether an answer lacks a value that every object has: the key may not see it.
func (f field) isHidden(answer document) bool {
	return f.isSent() && (f.has(required) || f.def != nil) && answer[f.name] == nil
}

// source returns the field of an answer that has the value as a caller wrote it.
func (f field) source() string {
	if f.shown != "" {
		return f.shown
	}
	return f.name
}

func attributes(fields []field) map[string]schema.Attribute {
	found := map[string]schema.Attribute{}
	for _, each := range fields {
		found[each.name] = each.attribute()
	}
	return found
}

func (f field) attribute() schema.Attribute {
	if f.nested != nil {
		return f.nestedAttribute()
	}
	must, may, given := f.ways()
	switch of := f.of.(type) {
	case basetypes.BoolType:
		return schema.BoolAttribute{Required: must, Optional: may, Computed: given, Description: f.about}
	case basetypes.Int64Type:
		return schema.Int64Attribute{Required: must, Optional: may, Computed: given, Description: f.about}
	case basetypes.DynamicType:
		return schema.DynamicAttribute{Required: must, Optional: may, Computed: given, Description: f.about}
	case basetypes.ListType:
		return schema.ListAttribute{
			ElementType: of.ElemType, Required: must, Optional: may, Computed: given, Description: f.about,
		}
	case basetypes.SetType:
		return schema.SetAttribute{
			ElementType: of.ElemType, Required: must, Optional: may, Computed: given, Description: f.about,
		}
	case basetypes.MapType:
		return schema.MapAttribute{
			ElementType: of.ElemType, Required: must, Optional: may, Computed: given, Description: f.about,
		}
	default:
		return schema.StringAttribute{
			Required: must, Optional: may, Computed: given, Sensitive: f.has(secret), Description: f.about,
		}
	}
}

func (f field) nestedAttribute() schema.Attribute {
	must, may, given := f.ways()
	inner := schema.NestedAttributeObject{Attributes: attributes(f.nested)}
	switch f.of.(type) {
	case basetypes.SetType:
		return schema.SetNestedAttribute{
			NestedObject: inner, Required: must, Optional: may, Computed: given, Description: f.about,
		}
	case basetypes.MapType:
		return schema.MapNestedAttribute{
			NestedObject: inner, Required: must, Optional: may, Computed: given, Description: f.about,
		}
	default:
		return schema.SingleNestedAttribute{
			Attributes: inner.Attributes, Required: must, Optional: may, Computed: given, Description: f.about,
		}
	}
}

// ways returns whether a configuration must and may set the attribute, and whether the provider can.
func (f field) ways() (must, may, given bool) {
	given = f.has(computed | secret)
	return f.has(required), !f.has(required) && !given, given || f.def != nil
}
