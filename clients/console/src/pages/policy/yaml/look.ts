/** Colours of the YAML editor by CSS variables (policy.css), so that both schemes have enough contrast. */
import { HighlightStyle, syntaxHighlighting } from "@codemirror/language";
import { EditorView } from "@codemirror/view";
import { tags } from "@lezer/highlight";

const styles = HighlightStyle.define([
  { tag: [tags.propertyName, tags.definition(tags.propertyName)], color: "var(--yaml-key)" },
  { tag: [tags.string, tags.content, tags.attributeValue], color: "var(--yaml-text)" },
  { tag: [tags.number, tags.bool, tags.null, tags.keyword], color: "var(--yaml-figure)" },
  { tag: tags.comment, color: "var(--yaml-comment)", fontStyle: "italic" },
  { tag: [tags.punctuation, tags.separator, tags.squareBracket, tags.brace, tags.labelName], color: "var(--yaml-sign)" },
]);

const base = EditorView.theme({
  "&": { fontSize: "13px", backgroundColor: "var(--mantine-color-body)", color: "var(--mantine-color-text)", height: "100%" },
  "&.cm-focused": { outline: "2px solid var(--mantine-primary-color-filled)", outlineOffset: "-1px" },
  ".cm-scroller": { fontFamily: "var(--mantine-font-family-monospace)", overflow: "auto" },
  ".cm-gutters": { backgroundColor: "var(--surface)", color: "var(--mantine-color-dimmed)", borderRight: "1px solid var(--line)" },
  ".cm-activeLine": { backgroundColor: "transparent", boxShadow: "inset 0 0 0 1px var(--line)" },
  ".cm-activeLineGutter": { backgroundColor: "transparent" },
  ".cm-placeholder": { color: "var(--mantine-color-placeholder)" },
  ".cm-cursor": { borderLeftColor: "var(--mantine-color-text)" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": { backgroundColor: "var(--yaml-selection)" },
  ".cm-tooltip": { backgroundColor: "var(--mantine-color-body)", color: "var(--mantine-color-text)", border: "1px solid var(--line)", maxWidth: "420px" },
  ".cm-tooltip.cm-tooltip-autocomplete > ul > li[aria-selected]": { backgroundColor: "var(--mantine-primary-color-filled)", color: "#fff" },
  ".cm-completionDetail": { color: "inherit", fontStyle: "normal", opacity: "0.85" },
  ".cm-diagnostic": { whiteSpace: "pre-wrap", overflowWrap: "anywhere" },
  ".policy-hover": { padding: "6px 10px", fontSize: "13px" },
});

export const look = [syntaxHighlighting(styles), base];
