import type { ServerResponse } from "node:http";

import { replyText } from "./reply.ts";

/** A whole HTML document. `body` is HTML, in which every value is escaped already. */
export function htmlPage(title: string, body: string): string {
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title}</title></head>
<body>
<main>
${body}
</main>
</body>
</html>
`;
}

/** Escapes a value for HTML text and for a quoted attribute. */
export function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

export function replyPage(response: ServerResponse, status: number, html: string): void {
  replyText(response, status, "text/html; charset=utf-8", html);
}
