/** HTML that may be sent as it is. Only the tag below makes it, and the renderer of our own Markdown. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type Part = Html | string | number | false | undefined | Part[];

/** Composes HTML: every part that is not HTML already is escaped, in text and in quoted attributes alike. */
export function html(strings: TemplateStringsArray, ...parts: Part[]): Html {
  return new Html(strings.reduce((text, piece, index) => text + render(parts[index - 1]) + piece));
}

function render(part: Part): string {
  if (part instanceof Html) return part.text;
  if (part === false || part === undefined) return "";
  if (Array.isArray(part)) return part.map(render).join("");
  return escapeHtml(String(part));
}

/** Escapes for text and for quoted attributes. */
export function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => ESCAPES[character]!);
}

const ESCAPES: Record<string, string> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};
