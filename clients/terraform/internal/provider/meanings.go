package provider

import (
	_ "embed"
	"encoding/json"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// policyFields has the fields of policies that are durations or sizes, and the values that the server fills in, by the
// section that has the field. `generate.py` reads them from openapi.yaml.
//
//go:embed policy-fields.json
var policyFields []byte

var fieldsOfPolicies = readPolicyFields()

type policyFieldTable struct {
	Amounts  []string
	Defaults map[string]document
}

func readPolicyFields() (found policyFieldTable) {
	if err := decode(policyFields, &found); err != nil {
		panic(err)
	}
	return found
}

// sameMeaning returns whether two values of an attribute mean the same: `6h` is `360m`, `1GiB` is `1024MiB`, and a
// value that is not given is the one that the server fills in.
func sameMeaning(name string, one, other any) bool {
	return equal(meaning(name, one), meaning(name, other))
}

// meaning returns the value in one unit with the filled in values; name is the section or list that has the value.
func meaning(name string, value any) any {
	if name == "require" || name == "prefer" { // labels, whose keys are free
		return value
	}
	switch value := value.(type) {
	case document:
		found := document{}
		for field, inner := range fieldsOfPolicies.Defaults[name] {
			found[field] = meaning(field, inner)
		}
		for field, inner := range value {
			if converted := meaning(field, inner); converted != nil {
				found[field] = converted
			}
		}
		return found
	case []any:
		found := []any{}
		for _, inner := range value {
			found = append(found, meaning(name, inner))
		}
		return found
	case string:
		if name == "expires_at" || slices.Contains(fieldsOfPolicies.Amounts, name) {
			return amount(value)
		}
	case json.Number:
		number, _ := value.Float64()
		return number
	}
	return value
}

var (
	sizes = regexp.MustCompile(`^\s*(\d+(?:\.\d+)?)\s*([kKMGT]?)(iB|B|bit|bps|)(?:/s)?\s*$`)
	short = regexp.MustCompile(`^(\d+)([smhd])$`)
	iso   = regexp.MustCompile(`^P(?:(\d+)W)?(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?)?$`)
)

type seconds float64

// amount returns the number of bytes of a size or a rate, the seconds of a duration, the instant of a date with a time,
// or the text of anything else.
func amount(text string) any {
	if instant, err := time.Parse(time.RFC3339, text); err == nil {
		return instant.UTC()
	}
	if parts := sizes.FindStringSubmatch(text); parts != nil {
		number, _ := strconv.ParseFloat(parts[1], 64)
		step := 1000.0
		if parts[3] == "iB" {
			step = 1024
		}
		for range strings.Index("KMGT", strings.ToUpper(parts[2])) + len(parts[2]) {
			number *= step
		}
		if strings.HasPrefix(parts[3], "b") {
			number /= 8
		}
		return number
	}
	if parts := short.FindStringSubmatch(text); parts != nil {
		number, _ := strconv.ParseFloat(parts[1], 64)
		return seconds(number * map[string]float64{"s": 1, "m": 60, "h": 3600, "d": 86_400}[parts[2]])
	}
	if parts := iso.FindStringSubmatch(text); parts != nil && len(text) > 1 {
		total := 0.0
		for index, unit := range []float64{604_800, 86_400, 3600, 60, 1} {
			number, _ := strconv.ParseFloat("0"+parts[index+1], 64)
			total += number * unit
		}
		return seconds(total)
	}
	return text
}
