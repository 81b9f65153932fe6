/** Instants as the text of a field for local date and time (`datetime-local`). */
export function toLocalInput(at: string): string {
  const date = new Date(at);
  if (at === "" || Number.isNaN(date.getTime())) return "";
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

/** Return the instant in UTC; empty when the text is not a complete date. */
export function fromLocalInput(text: string): string {
  const date = new Date(text);
  return text === "" || Number.isNaN(date.getTime()) ? "" : date.toISOString();
}
