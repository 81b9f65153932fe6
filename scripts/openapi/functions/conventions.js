// The conventions of docs/reference/api.md, over every operation of a description. Each rule gets an operation and returns what
// is wrong with it, or nothing.
const METHODS = ["get", "put", "post", "patch", "delete"];

/** Lists whose length the version of the service fixes: they have no pages. */
const FIXED_LISTS = ["list_catalog_types", "list_formats", "list_operations", "list_presets"];
/** Make a secret, which no stored answer may repeat. */
const NOT_REPEATABLE = ["create_key", "create_webhook"];
/** Actions that leave nothing to show. */
const WITHOUT_ANSWER = [
  "repeat_webhook_delivery",
  "report_metrics",
  "resume_catalog",
  "resume_fleet",
  "resume_table",
  "unfreeze_table",
];
/** Paths that another specification names. */
const NAMED_BY_OTHERS = "/v1/iceberg/";
/** A registration, which has no document of its own to lose. */
const WITHOUT_CONDITION = ["delete_table"];

const VERBS = {
  get: ["get", "list"],
  put: ["replace"],
  patch: ["update"],
  delete: ["delete"],
};

const rules = {
  "names its verb by its method": ({ method, id, path, segments }) => {
    if (!path.startsWith("/v1/") || path.startsWith(NAMED_BY_OTHERS)) return;
    const verb = id.split("_")[0];
    const last = segments.at(-1);
    if (method !== "post") return VERBS[method].includes(verb) || verb === "explain" || `begin with ${VERBS[method].join("_ or ")}_`;
    if (last === "preview") return verb === "preview" || "begin with preview_";
    const isAction = segments.length > 2 && !last.startsWith("{");
    if (isAction) return verb === last || `begin with ${last}_, the last part of the path`;
  },
  "has one answer for each status": ({ answers }) => {
    for (const [status, { content = {} }] of answers) {
      for (const { schema = {} } of Object.values(content)) {
        if (schema.anyOf) return `${status} has several answers: give each a route of its own`;
      }
    }
  },
  "answers as its method asks": ({ method, id, statuses, isPreview }) => {
    const allowed = {
      get: ["200", "204", "304"],
      put: ["200", "201"],
      patch: ["200"],
      delete: ["204"],
      post: isPreview ? ["200"] : WITHOUT_ANSWER.includes(id) ? ["204"] : ["200", "201", "202"],
    }[method];
    const others = statuses.filter((status) => /^[23]/.test(status) && !allowed.includes(status));
    return others.length === 0 || `answer ${allowed.join(", ")}, not ${others.join(", ")}`;
  },
  "names what it made": ({ method, answers, isPreview }) => {
    if (method !== "post" || isPreview) return;
    const made = answers.find(([status]) => status === "201");
    return made === undefined || made[1].headers?.Location !== undefined || "declare Location with 201";
  },
  "can be repeated": ({ method, id, statuses, parameter }) => {
    if (method !== "post" || !statuses.includes("201") || NOT_REPEATABLE.includes(id)) return;
    return parameter("header", "idempotency-key") !== undefined || "take Idempotency-Key, as everything that creates";
  },
  "names the version that it replaces": ({ method, id, statuses, parameter }) => {
    if (!["put", "delete"].includes(method) || WITHOUT_CONDITION.includes(id)) return;
    const condition = parameter("header", "if-match");
    if (condition === undefined) return "take If-Match";
    if (condition.required !== true && parameter("header", "if-none-match") === undefined) return "require If-Match";
    return (statuses.includes("412") && statuses.includes("428")) || "declare 412 and 428";
  },
  "lists in pages": ({ id, answers, parameter }) => {
    if (!id.startsWith("list_")) return parameter("query", "page_token") === undefined || "begin with list_";
    const schema = answers.find(([status]) => status === "200")[1].content["application/json"].schema;
    if (schema.properties?.items === undefined) return "answer items";
    if (FIXED_LISTS.includes(id)) return;
    const isPaged = ["page_size", "page_token"].every((name) => parameter("query", name) !== undefined);
    return (isPaged && schema.properties.next_page_token !== undefined) || "take page_size and page_token, answer next_page_token";
  },
  "has no switch for a preview": ({ body, parameter }) => {
    const isSwitch = parameter("query", "dry_run") !== undefined || body?.properties?.dry_run !== undefined;
    return !isSwitch || "give the preview a route of its own: POST …/preview";
  },
  "names its parameters in snake case": ({ parameters }) => {
    const others = parameters.filter((each) => each.in !== "header" && !/^[a-z][a-z0-9_]*$/.test(each.name));
    return others.length === 0 || `rename ${others.map((each) => each.name).join(", ")}`;
  },
};

export default function conventions(paths) {
  const found = [];
  for (const [path, item] of Object.entries(paths)) {
    for (const method of METHODS.filter((each) => item[each] !== undefined)) {
      const operation = view(path, method, item[method]);
      for (const [rule, check] of Object.entries(rules)) {
        const result = check(operation);
        if (typeof result === "string") found.push({ message: `${operation.id}: an operation ${rule}: ${result}`, path: ["paths", path, method] });
      }
    }
  }
  return found;
}

function view(path, method, described) {
  const parameters = described.parameters ?? [];
  const answers = Object.entries(described.responses).filter(([status]) => /^2/.test(status));
  return {
    path,
    method,
    id: described.operationId,
    segments: path.replace("/v1/", "").split("/"),
    isPreview: path.endsWith("/preview"),
    parameters,
    parameter: (place, name) => parameters.find((each) => each.in === place && each.name.toLowerCase() === name),
    statuses: Object.keys(described.responses),
    answers,
    body: described.requestBody?.content?.["application/json"]?.schema,
  };
}
