import { html, type Html } from "@holdfast/html";
import type { MerchantDocument, Operation, SchemaObject } from "./merchant-document.ts";
import { renderMarkdown, slugOf } from "./render-markdown.ts";
import { renderTable } from "./render-table.ts";

/** The reference: every operation, webhook and schema of the document, in its order. */
export function renderReference({ info, paths, webhooks, components }: MerchantDocument): Html {
  return html`<h1>Reference</h1>
    ${renderMarkdown(info.description)}
    <p>The same as OpenAPI 3.1, for programs: <a href="../openapi.json">openapi.json</a>.</p>
    ${Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) =>
        renderOperation(`${method.toUpperCase()} ${path}`, operation),
      ),
    )}
    ${Object.entries(webhooks).flatMap(([event, methods]) =>
      Object.values(methods).map((operation) => renderOperation(`Webhook ${event}`, operation)),
    )}
    ${Object.entries(components.schemas).map(([name, schema]) => renderSchema(name, schema))}`;
}

function renderOperation(line: string, operation: Operation): Html {
  const { operationId, summary, description, parameters = [], requestBody, responses } = operation;
  const answers = Object.entries(responses).map(([status, answer]) => [
    html`<code>${status}</code>`,
    renderMarkdown(answer.description),
    typesIn(answer.content),
  ]);
  return html`<section aria-labelledby="${operationId}">
    <h2 id="${operationId}">${summary}</h2>
    <p><code>${line}</code></p>
    ${renderMarkdown(description)}
    ${
      parameters.length > 0 &&
      table(
        ["Parameter", "In", "Description"],
        parameters.map(({ name, in: place, required, description: about = "", schema = {} }) => [
          html`<code>${name}</code>${required === true && html`, required`}`,
          place,
          html`${renderMarkdown(about)}${limitsOf(schema)}`,
        ]),
      )
    }
    ${
      requestBody &&
      html`<p>Body: ${typesIn(requestBody.content)}</p>
        ${examplesIn(requestBody.content)}`
    }
    ${table(["Answer", "Meaning", "Body"], answers)} ${examplesIn(Object.values(responses)[0]?.content)}
  </section>`;
}

function renderSchema(name: string, schema: SchemaObject): Html {
  const required = new Set(schema.required);
  const id = idOf(name);
  return html`<section aria-labelledby="${id}">
    <h2 id="${id}">${name}</h2>
    ${renderMarkdown(schema.description ?? "")}
    ${
      schema.properties
        ? table(
            ["Field", "Type", "Description"],
            Object.entries(schema.properties).map(([field, value]) => [
              html`<code>${field}</code>${required.has(field) && html`, required`}`,
              typeOf(value),
              html`${renderMarkdown(value.description ?? "")}${limitsOf(value)}`,
            ]),
          )
        : html`<p>${typeOf(schema)}</p>
            ${limitsOf(schema)}`
    }
  </section>`;
}

/** Folded, since most readers look up a field. */
function examplesIn(content: Content = {}): Html {
  return html`${Object.values(content)
    .filter(({ example }) => example !== undefined)
    .map(
      ({ example }) =>
        html`<details>
          <summary>Example</summary>
          <pre><code>${JSON.stringify(example, null, 2)}</code></pre>
        </details>`,
    )}`;
}

type Content = Operation["responses"][string]["content"];

function typesIn(content: Content = {}): Html {
  return html`${Object.values(content).map(({ schema }) => typeOf(schema ?? {}))}`;
}

function typeOf({ $ref, type, format, items, anyOf, oneOf, properties }: SchemaObject): Html {
  if ($ref !== undefined) {
    const name = $ref.slice($ref.lastIndexOf("/") + 1);
    return html`<a href="#${idOf(name)}">${name}</a>`;
  }
  if (items) return html`list of ${typeOf(items)}`;
  const ways = (anyOf ?? oneOf ?? []).filter((way) => way.$ref !== undefined || way.type !== undefined);
  if (ways.length > 0) return html`${ways.map((way, index) => html`${index > 0 && " or "}${typeOf(way)}`)}`;
  return html`${type ?? (properties ? "object" : "any")}${format !== undefined && html` (${format})`}`;
}

/** The further limits of a value; a long list of values is folded. */
function limitsOf(schema: SchemaObject): Html {
  const { minLength, maxLength, minItems, maxItems, examples = [] } = schema;
  const values = schema.enum ?? (schema.const === undefined ? [] : [schema.const]);
  const list = html`${values.map((value) => html`<code>${String(value)}</code> `)}`;
  return html`${maxLength !== undefined && html`<p>${minLength ?? 0} to ${maxLength} characters.</p>`}
  ${maxItems !== undefined && html`<p>${minItems ?? 0} to ${maxItems} entries.</p>`}
  ${examples.length > 0 && html`<p>For example <code>${JSON.stringify(examples[0])}</code>.</p>`}
  ${
    values.length > 0 &&
    (values.length > FOLDED_FROM
      ? html`<details>
          <summary>${values.length} values</summary>
          ${list}
        </details>`
      : html`<p>${values.length > 1 ? "One of" : "Always"}: ${list}</p>`)
  }`;
}

const FOLDED_FROM = 12;

function idOf(name: string): string {
  return `schema-${slugOf(name)}`;
}

function table(head: string[], rows: (Html | string)[][]): Html {
  return renderTable(
    head.map((label) => ({ shown: label, label })),
    rows,
  );
}
