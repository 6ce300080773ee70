import { html, type Html } from "@holdfast/html";
import type { MerchantDocument, Operation, SchemaObject } from "./merchant-document.ts";
import { renderMarkdown, slugOf } from "./render-markdown.ts";
import { renderTable } from "./render-table.ts";

/** A page of the reference, with its name in addresses. */
export type ReferencePage = { name: string; title: string; content: Html };

/**
 * The reference: an overview with the answers of all operations, a page for each group of operations, and one with the
 * fields of what they take and answer.
 */
export function renderReference(document: MerchantDocument): ReferencePage[] {
  const { tags, webhooks, components } = document;
  const common = commonAnswers(document);
  return [
    { name: "reference", title: "Reference", content: renderOverview(document, common) },
    ...tags.map((tag) => {
      const operations = operationsOf(document, tag.name);
      const events = tag.name === WEBHOOKS ? Object.entries(webhooks) : [];
      const content = html`<h1>${tag.name}</h1>
        <p>${tag.description}.</p>
        <ul>
          ${operations.map(({ line, operation }) => entry(line, operation))}
          ${events.flatMap(([event, methods]) =>
            Object.values(methods).map((operation) => entry(`Webhook ${event}`, operation)),
          )}
        </ul>
        ${operations.map(({ line, operation }) => renderOperation(document, common, line, operation))}
        ${events.flatMap(([event, methods]) =>
          Object.values(methods).map((operation) =>
            renderOperation(document, ANSWERS_OF_SHOPS, `Webhook ${event}`, operation),
          ),
        )}`;
      return { name: pageOf(tag.name), title: `Reference: ${tag.name}`, content };
    }),
    {
      name: SCHEMAS,
      title: "Reference: fields",
      content: html`<h1>Fields</h1>
        ${Object.entries(components.schemas).map(([name, schema]) => renderSchema(name, schema))}`,
    },
  ];
}

const WEBHOOKS = "Webhooks";
const SCHEMAS = "reference-fields";

const pageOf = (tag: string) => `reference-${slugOf(tag)}`;

/** The place of an operation in the reference. */
export function addressOfOperation({ operationId, tags: [tag = ""] = [] }: Operation): string {
  return `${pageOf(tag)}#${operationId}`;
}

function entry(line: string, { operationId, summary }: Operation, address = `#${operationId}`): Html {
  return html`<li><a href="${address}">${summary}</a> <code>${line}</code></li>`;
}

function operationsOf({ paths }: MerchantDocument, tag: string): { line: string; operation: Operation }[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, { tags = [] }]) => tags.includes(tag))
      .map(([method, operation]) => ({ line: `${method.toUpperCase()} ${path}`, operation })),
  );
}

/** The answers that every operation has, and those of every operation with a body. */
type CommonAnswers = Record<"all" | "withBody", ReadonlyMap<string, string>>;

/** A webhook is answered by the merchant's own server. */
const ANSWERS_OF_SHOPS: CommonAnswers = { all: new Map(), withBody: new Map() };

function commonAnswers({ paths }: MerchantDocument): CommonAnswers {
  const operations = Object.values(paths).flatMap((methods) => Object.values(methods));
  const sharedBy = (some: Operation[]) =>
    new Map(
      Object.entries(some[0]?.responses ?? {}).flatMap(([status, { description }]) =>
        some.every(({ responses }) => responses[status]?.description === description)
          ? [[status, description] as const]
          : [],
      ),
    );
  const all = sharedBy(operations);
  const withBody = sharedBy(operations.filter(({ requestBody }) => requestBody));
  return { all, withBody: new Map([...withBody].filter(([status]) => !all.has(status))) };
}

function renderOverview(document: MerchantDocument, { all, withBody }: CommonAnswers): Html {
  const rows = (answers: ReadonlyMap<string, string>, of: string) =>
    [...answers].map(([status, description]) => [
      html`<code>${status}</code>`,
      renderMarkdown(description),
      of,
    ]);
  return html`<h1>Reference</h1>
    ${renderMarkdown(document.info.description)}
    <p>The same as OpenAPI 3.1, for programs: <a href="../openapi.json">openapi.json</a>.</p>
    ${document.tags.map(
      ({ name, description }) =>
        html`<h2 id="${slugOf(name)}"><a href="${pageOf(name)}">${name}</a></h2>
          <p>${description}.</p>
          <ul>
            ${operationsOf(document, name).map(({ line, operation }) =>
              entry(line, operation, addressOfOperation(operation)),
            )}
          </ul>`,
    )}
    <h2 id="common-answers">Answers of every operation</h2>
    ${table(
      ["Answer", "Meaning", "Answered by"],
      [...rows(all, "every operation"), ...rows(withBody, "operations with a body")],
    )}`;
}

/** An operation with the fields of its request below it and its examples beside it. */
function renderOperation(
  { components }: MerchantDocument,
  common: CommonAnswers,
  line: string,
  operation: Operation,
): Html {
  const { operationId, summary, description, parameters = [], requestBody, responses } = operation;
  const isCommon = (status: string, text: string) =>
    common.all.get(status) === text || (requestBody !== undefined && common.withBody.get(status) === text);
  const answers = Object.entries(responses)
    .filter(([status, answer]) => !isCommon(status, answer.description))
    .map(([status, answer]) => [
      html`<code>${status}</code>`,
      renderMarkdown(answer.description),
      typesIn(answer.content),
    ]);
  const request = Object.values(requestBody?.content ?? {})[0]?.schema;
  const body = request?.$ref === undefined ? undefined : components.schemas[nameOf(request.$ref)];
  return html`<section class="operation" aria-labelledby="${operationId}">
    <h2 id="${operationId}">${summary}</h2>
    <p><code>${line}</code></p>
    <div class="beside">
      <div>
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
        ${body?.properties ? fieldTable(body) : requestBody && html`<p>Body: ${typesIn(requestBody.content)}</p>`}
        ${table(["Answer", "Meaning", "Body"], answers)}
        <p>
          ${common.all.size > 0 && html`And <a href="reference#common-answers">those of every operation</a>.`}
        </p>
      </div>
      <div class="samples">
        ${requestBody && samplesIn("Request", requestBody.content)}
        ${samplesIn("Answer", Object.values(responses)[0]?.content)}
      </div>
    </div>
  </section>`;
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

function fieldTable({ properties = {}, required = [] }: SchemaObject): Html {
  return table(
    ["Field", "Type", "Description"],
    Object.entries(properties).map(([field, value]) => [
      html`<code>${field}</code>${required.includes(field) && html`, required`}`,
      typeOf(value),
      html`${renderMarkdown(value.description ?? "")}${limitsOf(value)}`,
    ]),
  );
}

function samplesIn(label: string, content: Content = {}): Html {
  return html`${Object.values(content)
    .filter(({ example }) => example !== undefined)
    .map(
      ({ example }) =>
        html`<p class="quiet">${label}</p>
          <pre tabindex="0"><code>${JSON.stringify(example, null, 2)}</code></pre>`,
    )}`;
}

type Content = Operation["responses"][string]["content"];

function typesIn(content: Content = {}): Html {
  return html`${Object.values(content).map(({ schema }) => typeOf(schema ?? {}))}`;
}

function typeOf({ $ref, type, format, items, anyOf, oneOf, properties }: SchemaObject): Html {
  if ($ref !== undefined) {
    const name = nameOf($ref);
    return html`<a href="${SCHEMAS}#${idOf(name)}">${name}</a>`;
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

function nameOf($ref: string): string {
  return $ref.slice($ref.lastIndexOf("/") + 1);
}

function idOf(name: string): string {
  return `schema-${slugOf(name)}`;
}

function table(head: string[], rows: (Html | string)[][]): Html {
  return renderTable(
    head.map((label) => ({ shown: label, label })),
    rows,
  );
}
