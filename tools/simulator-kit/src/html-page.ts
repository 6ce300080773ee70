import type { ServerResponse } from "node:http";

import { replyText } from "./reply.ts";

/** A whole HTML document. `body` is HTML, in which every value is escaped already. */
export function htmlPage(title: string, body: string): string {
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title}</title>
<style>${STYLE}</style></head>
<body>
<main>
${body}
</main>
</body>
</html>
`;
}

/** Enough for a page that a newcomer sees in their first payment. */
const STYLE =
  "body{margin:0;background:#f2f4f7;color:#16202c;font:1rem/1.5 system-ui,sans-serif}" +
  "main{max-width:26rem;margin:8vh auto;padding:1.5rem 2rem;background:#fff;border:1px solid #d5dbe3;border-radius:.5rem}" +
  "h1{margin-top:0;font-size:1.3rem}input,button{font:inherit;padding:.5rem .75rem;border:1px solid #7a8794;border-radius:.3rem}" +
  "button[value=submit]{background:#0b5a8a;border-color:#0b5a8a;color:#fff}";

/** Escapes a value for HTML text and for a quoted attribute. */
export function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

export function replyPage(response: ServerResponse, status: number, html: string): void {
  replyText(response, status, "text/html; charset=utf-8", html);
}
