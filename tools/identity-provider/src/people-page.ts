import { DARK_TOKENS, DESIGN_TOKENS, html, Html } from "@holdfast/html";
import type { Person } from "./config.ts";

/** A button for each person. Its name begins with theirs. */
export function peoplePage(people: readonly Person[], action: string): string {
  return `<!doctype html>\n${
    html`<html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <link rel="icon" href="data:," />
        <title>Sign in to the sandbox</title>
        <style>
          ${STYLE}
        </style>
      </head>
      <body>
        <main>
          <h1>Sign in to the sandbox</h1>
          <p>These people need no password. In production your own identity provider has this page.</p>
          <form method="post" action="${action}">
            ${people.map(
              ({ name, audience, roles }) =>
                html`<button name="person" value="${name}">
                  <strong>${name}</strong> <span>(${audience}: ${roles.join(", ")})</span>
                </button>`,
            )}
          </form>
        </main>
      </body>
    </html>`.text
  }\n`;
}

/** The look of the console that it leads to. */
const STYLE = new Html(`${DESIGN_TOKENS}
${DARK_TOKENS}
body { margin: 0; background: var(--ground); }
main { max-width: 34rem; margin: 0 auto; padding: 3rem 1.25rem; }
h1 { margin: 0 0 0.5rem; font-size: 1.5rem; line-height: 1.3; }
p { margin: 0 0 1.5rem; color: var(--quiet); }
button {
  display: block;
  width: 100%;
  margin: 0 0 0.75rem;
  padding: 0.85rem 1rem;
  border: 1px solid var(--line);
  border-radius: 0.6rem;
  background: var(--paper);
  color: var(--ink);
  font: inherit;
  text-align: left;
  cursor: pointer;
}
button span { color: var(--quiet); }
button:hover { border-color: var(--accent); }
:focus-visible { outline: 3px solid #2f7fd6; outline-offset: 2px; }`);
