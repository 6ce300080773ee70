import type { ServerResponse } from "node:http";

import { replyText } from "./reply.ts";

/** A whole HTML document. `body` is HTML, in which every value is escaped already. */
export function htmlPage(title: string, body: string): string {
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${title}</title><style>${STYLE}</style></head>
<body>
<main>
${body}
</main>
</body>
</html>
`;
}

/** A style for telephones and dark screens: a bank's page is the first that a newcomer sees of 3-D Secure. */
const STYLE = `
:root{color-scheme:light dark;font:1rem/1.5 system-ui,sans-serif;--ink:#16212e;--ground:#f4f6f8;--paper:#fff;--edge:#7d8896;--accent:#1d4f91}
@media (prefers-color-scheme:dark){:root{--ink:#e9eef3;--ground:#10161c;--paper:#1a222b}}
*{box-sizing:border-box}
body{margin:0;padding:1.25rem;background:var(--ground);color:var(--ink)}
main{max-width:26rem;margin:0 auto;padding:1.5rem;border-radius:.75rem;background:var(--paper);overflow-wrap:anywhere}
h1{margin:0 0 .5rem;font-size:1.35rem}
input{width:100%;height:3rem;padding:0 .75rem;border:1px solid var(--edge);border-radius:.5rem;background:inherit;color:inherit;font:inherit;letter-spacing:.2em}
button{min-height:3rem;padding:0 1.5rem;border:1px solid var(--accent);border-radius:.5rem;background:var(--accent);color:#fff;font:inherit;font-weight:600;cursor:pointer}
button[value=cancel]{background:none;border-color:var(--edge);color:inherit;font-weight:400}
`;

/** Escapes a value for HTML text and for a quoted attribute. */
export function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

export function replyPage(response: ServerResponse, status: number, html: string): void {
  replyText(response, status, "text/html; charset=utf-8", html);
}
