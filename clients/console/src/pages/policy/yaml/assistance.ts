/** Completion from the schema, and the meaning of the name under the pointer. */
import { autocompletion, type Completion, type CompletionContext, type CompletionResult, startCompletion } from "@codemirror/autocomplete";
import { type EditorView, hoverTooltip } from "@codemirror/view";
import { contextAt, suggestions } from "../logic/completion";
import { nodesAt, type SchemaNode } from "../logic/schema";
import { zoneNames } from "../logic/zones";

export const assistance = (root: SchemaNode) => [
  autocompletion({ override: [(context) => complete(root, context)], icons: false, maxRenderedOptions: 60 }),
  hoverTooltip((view, position) => explain(root, view, position)),
];

function complete(root: SchemaNode, context: CompletionContext): CompletionResult | null {
  const at = contextAt(context.state.doc.toString(), context.pos);
  if (at === null || (at.word === "" && !context.explicit && at.key === null)) return null;
  const options = suggestions(root, at, zoneNames()).map(
    ({ label, insert, detail, info }): Completion => ({
      label,
      detail,
      ...(info === "" ? {} : { info }),
      apply: (view, _, from, to) => {
        view.dispatch({ changes: { from, to, insert }, selection: { anchor: from + insert.length } });
        if (/:\s+$/.test(insert)) startCompletion(view);
      },
    }),
  );
  return options.length === 0 ? null : { from: at.from, options, validFor: /^[^\s:[\]{},]*$/ };
}

function explain(root: SchemaNode, view: EditorView, position: number) {
  const line = view.state.doc.lineAt(position);
  const found = /^(\s*(?:- +)*)([\w-]+):/.exec(line.text);
  if (found === null) return null;
  const [from, name] = [line.from + found[1]!.length, found[2]!];
  if (position < from || position > from + name.length) return null;
  const at = contextAt(view.state.doc.toString(), from);
  const text = at === null ? undefined : nodesAt(root, [...at.path, name])[0]?.description;
  if (text === undefined) return null;
  return {
    pos: from,
    end: from + name.length,
    create: () => {
      const dom = document.createElement("div");
      dom.className = "policy-hover";
      dom.textContent = text;
      return { dom };
    },
  };
}
