package provider

import (
	"net/url"
	"regexp"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/types"
)

// kind is a kind of objects of the API, which one resource manages. Everything that differs between resources is here.
type kind struct {
	name       string
	about      string
	path       string   // of an object; attributes in braces identify it
	collection string   // where it is created by POST; empty: it is created by PUT at its own path
	repeatable bool     // the creation takes an Idempotency-Key
	patches    bool     // a change is a PATCH of what is different; otherwise a PUT of everything
	bare       string   // the attribute that is the whole body of a replacement
	preview    string   // where a change is tried without effect
	parameters []string // message, acknowledge: taken by its changes
	always     string   // the field that is empty when the object, which is always there, is not managed; `*`: all fields
	rotate     string   // where a new secret is made
	revoke     string   // where it is ended by POST; otherwise it is deleted
	ended      string   // the field of the answer that is set when it has been ended
	fields     []field
}

var (
	acknowledge = field{
		name: "acknowledge", of: types.StringType, part: local,
		about: "The most that changes of this resource may delete, such as `up_to:bytes=50GB,files=10000`.",
	}
	policy = field{
		name: "policy", of: types.DynamicType, part: required | measured, shown: "written",
		about: "The policy's document, with the fields of the API.",
	}
	token = field{
		name: "rotation", of: types.StringType, part: local,
		about: "Any text: when it changes, a new secret is made.",
	}
)

func name(about string) field {
	return field{name: "name", of: types.StringType, part: required | fixed, about: about}
}

func given(name, about string) field {
	return field{name: name, of: types.StringType, part: computed, about: about}
}

func number(name, about string) field {
	return field{name: name, of: types.Int64Type, about: about}
}

var kinds = []*kind{
	{
		name: "catalog", about: "A catalog with the tables of one format.",
		path: "/v1/catalogs/{name}", collection: "/v1/catalogs", repeatable: true,
		fields: []field{
			name("Name of the catalog."),
			{name: "format", of: types.StringType, part: required | fixed, about: "`iceberg`, `delta`, `paimon` or `hive`."},
			{name: "properties", of: texts, part: required, about: "For the catalog's library. Secrets as `env:NAME` or `file:/path`."},
			{name: "allowed_locations", of: levels, def: []any{}, about: "Tables must be located below one of these; empty: anywhere."},
			{name: "outside_files", of: types.StringType, def: "refuse", about: "`refuse` or `allowed_locations`."},
		},
	},
	{
		name: "catalog_grants", about: "All rights of teams on one catalog.",
		path: "/v1/catalogs/{catalog}/grants", always: "grants",
		fields: []field{
			{name: "catalog", of: types.StringType, part: required | addressed, about: "Name of the catalog."},
			{name: "grants", of: types.SetType{}, part: required, about: "The rights; others are removed.", nested: []field{
				{name: "team", of: types.StringType, part: required, about: "The team that gets the rights."},
				{name: "namespaces", of: words, part: required, about: "Namespaces; `*` is any text."},
				{name: "rights", of: words, part: required, about: "`discover`, `register`, `read`."},
			}},
		},
	},
	{
		name: "table", about: "The registration of a table, which exists in its catalog.",
		path: "/v1/tables/{id}", collection: "/v1/tables", repeatable: true, patches: true,
		parameters: []string{"acknowledge"},
		fields: []field{
			given("id", "Id of the table."),
			{name: "catalog", of: types.StringType, part: required | fixed, about: "Name of the catalog."},
			{name: "namespace", of: levels, part: required | fixed, about: "Levels of the namespace, outer first."},
			name("Name of the table."),
			{name: "owner_team", of: types.StringType, about: "Team that owns the table."},
			{name: "labels", of: texts, def: document{}, about: "Labels, by which policies choose tables."},
			given("uuid", "Id that the table's metadata has."),
			given("location", "Address of the table's folder."),
			acknowledge,
		},
	},
	{
		name: "policy", about: "A policy of the fleet, a team, a catalog, a namespace, a pattern of names or a label.",
		path: "/v1/policies/{name}", collection: "/v1/policies", repeatable: true, bare: "policy",
		preview: "/v1/policies/{name}/preview", parameters: []string{"message", "acknowledge"},
		fields: []field{
			name("Name of the policy."),
			{name: "scope", of: types.ObjectType{}, part: required | fixed, about: "The tables that it covers.", nested: []field{
				{name: "kind", of: types.StringType, part: required, about: "`fleet`, `team`, `catalog`, `namespace`, `pattern`, `label`."},
				{name: "team", of: types.StringType, about: "The team, for a scope of this kind."},
				{name: "catalog", of: types.StringType, about: "The catalog, for `catalog` and `namespace`."},
				{name: "namespace", of: levels, about: "The levels of the namespace."},
				{name: "pattern", of: types.StringType, about: "A pattern such as `lake.*.events`."},
				{name: "key", of: types.StringType, about: "The label's key."},
				{name: "value", of: types.StringType, about: "The label's value."},
			}},
			policy, acknowledge,
		},
	},
	{
		name: "table_policy", about: "The policy of one table.",
		path: "/v1/tables/{table_id}/policy", bare: "policy",
		preview: "/v1/tables/{table_id}/policy/preview", parameters: []string{"message", "acknowledge"},
		fields: []field{
			{name: "table_id", of: types.StringType, part: required | addressed, about: "Id or address of the table."},
			policy, acknowledge,
		},
	},
	{
		name: "limits", about: "The limits of the fleet and of catalogs, of which there is one set.",
		path: "/v1/limits", always: "*",
		fields: []field{
			given("id", "`limits`."),
			number("parallel_runs", "Runs at once."), number("parallel_groups", "Tasks of all rewrites at once."),
			{name: "bandwidth", of: types.StringType, part: measured, about: "Bytes per second of all rewrites, such as `50MB/s`."},
			number("requests", "Requests to object stores per second."),
			{name: "catalogs", of: types.MapType{}, part: measured, def: document{}, about: "Limits by catalog.", nested: []field{
				number("parallel_runs", "Runs at once."), number("requests", "Requests per second."),
				{name: "bandwidth", of: types.StringType, about: "Bytes per second."},
			}},
		},
	},
	{
		name: "key", about: "An API key.",
		path: "/v1/keys/{id}", collection: "/v1/keys", revoke: "/v1/keys/{id}/revoke", ended: "revoked_at",
		fields: []field{
			given("id", "Id of the key."), name("Name of its holder; two live keys may share it."),
			{name: "role", of: types.StringType, part: required | fixed, about: "`viewer`, `planner`, `operator`, `owner`, `admin`."},
			{name: "teams", of: words, part: fixed, about: "Teams whose tables it sees; not given: every team."},
			{name: "expires_at", of: types.StringType, part: fixed | measured, about: "It is refused from then on."},
			{name: "rotation", of: types.StringType, part: local | fixed, about: token.about + " The key is replaced."},
			{name: "secret", of: types.StringType, part: secret, about: "The key itself; not known after an import."},
		},
	},
	{
		name: "webhook", about: "A receiver of events.",
		path: "/v1/webhooks/{id}", collection: "/v1/webhooks", rotate: "/v1/webhooks/{id}/rotate",
		fields: []field{
			given("id", "Id of the webhook."),
			{name: "name", of: types.StringType, part: required, about: "Name of the webhook."},
			{name: "url", of: types.StringType, part: required, about: "Address of the receiver."},
			{name: "events", of: words, about: "Types of its events; not given: all."},
			{name: "teams", of: words, about: "Only events of tables of these teams."},
			{name: "catalogs", of: words, about: "Only events of these catalogs."},
			{name: "enabled", of: types.BoolType, def: true, about: "Whether it gets events."},
			token,
			{name: "secret", of: types.StringType, part: secret, about: "What its requests are signed with; not known after an import."},
		},
	},
	{
		name: "spark_endpoint", about: "A Spark Connect server that rewrites file groups.",
		path: "/v1/spark-endpoints/{name}",
		fields: []field{
			{name: "name", of: types.StringType, part: required | addressed, about: "Name of the endpoint."},
			{name: "url", of: types.StringType, about: "Its address, `sc://host:port`; left out for `default` only."},
			{name: "token", of: types.StringType, about: "Reference to its token: `env:NAME` or `file:/path`."},
			{name: "labels", of: texts, def: document{}, about: "Labels by which policies choose it."},
			number("parallel_groups", "File groups at once."),
			{name: "drained", of: types.BoolType, def: false, about: "No run begins there."},
		},
	},
}

var braces = regexp.MustCompile(`\{(\w+)\}`)

// at returns a path with the attributes of an object in the place of the braces.
func at(path string, object document) string {
	return braces.ReplaceAllStringFunc(path, func(name string) string {
		found, _ := object[strings.Trim(name, "{}")].(string)
		return url.PathEscape(found)
	})
}

// identity returns the attribute that an import sets.
func (k *kind) identity() string {
	if found := braces.FindStringSubmatch(k.path); found != nil {
		return found[1]
	}
	return "id"
}

func (k *kind) field(name string) (field, bool) {
	for _, each := range k.fields {
		if each.name == name {
			return each, true
		}
	}
	return field{}, false
}

// body returns the body of a creation, or of a replacement without the attributes that are fixed.
func (k *kind) body(wanted document, creates bool) any {
	if k.bare != "" && (!creates || k.collection == "") {
		return wanted[k.bare]
	}
	found := document{}
	for _, each := range k.fields {
		if value, ok := wanted[each.name]; ok && each.isSent() && !each.has(addressed) && (creates || !each.has(fixed)) {
			found[each.name] = value
		}
	}
	return found
}

// patch returns the body of a PATCH: what is not wanted any more is null.
func (k *kind) patch(before, wanted document) document {
	found := document{}
	for _, each := range k.fields {
		if !each.isSent() || each.has(fixed) {
			continue
		}
		found[each.name] = wanted[each.name]
		if inner, ok := wanted[each.name].(document); ok {
			merged := document{}
			old, _ := before[each.name].(document)
			for key := range old {
				merged[key] = nil
			}
			for key, value := range inner {
				merged[key] = value
			}
			found[each.name] = merged
		}
	}
	return found
}
