/** The YAML of a policy in CodeMirror, loaded when it is first shown: completion, explanations, marked errors. */
import { closeBrackets, closeBracketsKeymap, completionKeymap } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { yaml } from "@codemirror/lang-yaml";
import { bracketMatching, foldGutter, foldKeymap, indentOnInput, indentUnit } from "@codemirror/language";
import { type Diagnostic, lintGutter, lintKeymap, setDiagnostics } from "@codemirror/lint";
import { Annotation, Compartment, EditorState } from "@codemirror/state";
import { drawSelection, EditorView, highlightActiveLine, keymap, lineNumbers, placeholder } from "@codemirror/view";
import { useEffect, useRef } from "react";
import { nonce } from "../../../shell/nonce";
import type { SchemaNode } from "../logic/schema";
import { assistance } from "./assistance";
import { look } from "./look";
import { smallestChange } from "./smallestChange";

const fromOutside = Annotation.define<boolean>();

export interface YamlEditorProps {
  readonly text: string;
  readonly onChange: (text: string) => void;
  readonly diagnostics: readonly Diagnostic[];
  readonly root: SchemaNode;
  readonly isReadOnly: boolean;
  /** Position to go to; a new object goes there again. */
  readonly goTo: { readonly position: number } | null;
}

export default function YamlEditor({ text, onChange, diagnostics, root, isReadOnly, goTo }: YamlEditorProps) {
  const place = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView | null>(null);
  const told = useRef(onChange);
  told.current = onChange;
  const locked = useRef(new Compartment());
  useEffect(() => {
    const made = new EditorView({
      parent: place.current!,
      state: EditorState.create({ doc: text, extensions: [extensions(root), locked.current.of(lock(isReadOnly)), listener(told)] }),
    });
    view.current = made;
    return () => made.destroy();
    // eslint-disable-next-line react-hooks/exhaustive-deps -- text and lock follow by the effects below
  }, [root]);
  useEffect(() => {
    const change = smallestChange(view.current!.state.doc.toString(), text);
    if (change !== null) view.current!.dispatch({ changes: change, annotations: fromOutside.of(true) });
  }, [text]);
  useEffect(() => {
    const length = view.current!.state.doc.length;
    const inside = diagnostics.filter(({ to }) => to <= length);
    view.current!.dispatch(setDiagnostics(view.current!.state, inside));
  }, [diagnostics]);
  useEffect(() => view.current!.dispatch({ effects: locked.current.reconfigure(lock(isReadOnly)) }), [isReadOnly]);
  useEffect(() => {
    if (goTo === null) return;
    const anchor = Math.min(goTo.position, view.current!.state.doc.length);
    view.current!.dispatch({ selection: { anchor }, effects: EditorView.scrollIntoView(anchor, { y: "center" }) });
    view.current!.focus();
  }, [goTo]);
  return <div ref={place} className="policy-yaml" />;
}

const lock = (isReadOnly: boolean) => [EditorState.readOnly.of(isReadOnly)];

const listener = (told: { readonly current: (text: string) => void }) =>
  EditorView.updateListener.of((update) => {
    const isOutside = update.transactions.some((each) => each.annotation(fromOutside) === true);
    if (update.docChanged && !isOutside) told.current(update.state.doc.toString());
  });

/**
 * Typing over a selection, done by the editor. Left to the browser, it keeps the style of the replaced text in a `style`
 * attribute, which the content security policy refuses.
 */
const typeOver = EditorView.domEventHandlers({
  beforeinput: (event, view) => {
    const { main } = view.state.selection;
    if (event.inputType !== "insertText" || event.data === null || main.empty || event.isComposing || view.state.readOnly) return false;
    event.preventDefault();
    view.dispatch(view.state.replaceSelection(event.data), { userEvent: "input.type", scrollIntoView: true });
    return true;
  },
});

const extensions = (root: SchemaNode) => [
  nonce === "" ? [] : EditorView.cspNonce.of(nonce),
  lineNumbers(),
  foldGutter(),
  lintGutter(),
  history(),
  drawSelection(),
  indentOnInput(),
  indentUnit.of("  "),
  EditorState.tabSize.of(2),
  bracketMatching(),
  closeBrackets(),
  highlightActiveLine(),
  EditorView.lineWrapping,
  yaml(),
  look,
  assistance(root),
  typeOver,
  placeholder("Nothing is set: every setting is inherited. Ctrl+Space lists the settings."),
  EditorView.contentAttributes.of({ "aria-label": "Policy as YAML", "aria-describedby": "policy-yaml-keys" }),
  keymap.of([...closeBracketsKeymap, ...defaultKeymap, ...historyKeymap, ...foldKeymap, ...completionKeymap, ...lintKeymap]),
];
