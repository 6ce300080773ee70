import { html, type Html } from "@holdfast/html";
import type { MerchantDocument, Operation, SchemaObject } from "./merchant-document.ts";
import { FIELDS_PAGE, nameOf } from "./reference-operations.ts";
import { renderMarkdown, slugOf } from "./render-markdown.ts";
import { renderTable } from "./render-table.ts";

/** The page of the fields of all bodies. */
export function renderFields({ components }: MerchantDocument): Html {
  return html`<h1>Fields</h1>
    ${Object.entries(components.schemas).map(([name, schema]) => renderSchema(name, schema))}`;
}

function renderSchema(name: string, schema: SchemaObject): Html {
  const id = idOf(name);
  return html`<section aria-labelledby="${id}">
    <h2 id="${id}">${name}</h2>
    ${renderMarkdown(schema.description ?? "")}
    ${
      schema.properties
        ? fieldTable(schema)
        : html`<p>${typeOf(schema)}</p>
            ${limitsOf(schema)}`
    }
  </section>`;
}

export function fieldTable({ properties = {}, required = [] }: SchemaObject): Html {
  return plainTable(
    ["Field", "Type", "Description"],
    Object.entries(properties).map(([field, value]) => [
      html`<code>${field}</code>${required.includes(field) && html`, required`}`,
      typeOf(value),
      html`${renderMarkdown(value.description ?? "")}${limitsOf(value)}`,
    ]),
  );
}

export function typesIn(content: Operation["responses"][string]["content"] = {}): Html {
  return html`${Object.values(content).map(({ schema }) => typeOf(schema ?? {}))}`;
}

function typeOf({ $ref, type, format, items, anyOf, oneOf, properties }: SchemaObject): Html {
  if ($ref !== undefined) {
    const name = nameOf($ref);
    return html`<a href="${FIELDS_PAGE}#${idOf(name)}">${name}</a>`;
  }
  if (items) return html`list of ${typeOf(items)}`;
  const ways = (anyOf ?? oneOf ?? []).filter((way) => way.$ref !== undefined || way.type !== undefined);
  if (ways.length > 0) return html`${ways.map((way, index) => html`${index > 0 && " or "}${typeOf(way)}`)}`;
  return html`${type ?? (properties ? "object" : "any")}${format !== undefined && html` (${format})`}`;
}

/** The further limits of a value; a long list of values is folded. */
export function limitsOf(schema: SchemaObject): Html {
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

export function plainTable(head: string[], rows: (Html | string)[][]): Html {
  return renderTable(
    head.map((label) => ({ shown: label, label })),
    rows,
  );
}
