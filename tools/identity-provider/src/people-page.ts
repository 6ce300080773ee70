import { html } from "@holdfast/html";
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
      </head>
      <body>
        <main>
          <h1>Sign in to the sandbox</h1>
          <p>These people need no password. In production your own identity provider has this page.</p>
          <form method="post" action="${action}">
            ${people.map(
              ({ name, audience, roles }) =>
                html`<p>
                  <button name="person" value="${name}">${name} (${audience}: ${roles.join(", ")})</button>
                </p>`,
            )}
          </form>
        </main>
      </body>
    </html>`.text
  }\n`;
}
