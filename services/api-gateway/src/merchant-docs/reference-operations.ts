import type { MerchantDocument, Operation, SchemaObject } from "./merchant-document.ts";
import { slugOf } from "./render-markdown.ts";
import { samplesOf, type Sample } from "./write-samples.ts";

/** A group of operations, which has a page of its own. */
export type Group = { name: string; description: string; shown: ShownOperation[] };

/** An operation as the reference shows it: one of the gateway, or an event that it sends to shops. */
export type ShownOperation = {
  /** The first line of its request, or the name of the event. */
  line: string;
  operation: Operation;
  /** The fields of its body, if it has any. */
  body: SchemaObject | undefined;
  /** The answers that not every operation has. */
  answers: [status: string, answer: Operation["responses"][string]][];
  /** Requests of merchants; none for an event. */
  samples: Sample[];
};

/** The answers that every operation has, and the answers that every operation with a body has. */
export type CommonAnswers = Record<"all" | "withBody", ReadonlyMap<string, string>>;

/** The groups in the reference's order. @param apiUrl the address in their examples. */
export function groupsIn(document: MerchantDocument, common: CommonAnswers, apiUrl: string): Group[] {
  return document.tags.map(({ name, description }) => ({
    name,
    description,
    shown: [
      ...operationsOf(document, name, { common, apiUrl }),
      ...(name === WEBHOOKS ? eventsOf(document) : []),
    ],
  }));
}

const WEBHOOKS = "Webhooks";

function operationsOf(
  document: MerchantDocument,
  tag: string,
  { common, apiUrl }: { common: CommonAnswers; apiUrl: string },
): ShownOperation[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, { tags = [] }]) => tags.includes(tag))
      .map(([name, operation]) => {
        const method = name.toUpperCase();
        const isCommon = (status: string, text: string) =>
          common.all.get(status) === text ||
          (operation.requestBody !== undefined && common.withBody.get(status) === text);
        return {
          line: `${method} ${path}`,
          operation,
          body: bodyOf(document, operation),
          answers: Object.entries(operation.responses).filter(
            ([status, { description }]) => !isCommon(status, description),
          ),
          samples: samplesOf({ method, path, operation }, apiUrl),
        };
      }),
  );
}

/** The events, which a shop's own server receives and answers. */
function eventsOf(document: MerchantDocument): ShownOperation[] {
  return Object.entries(document.webhooks).flatMap(([event, methods]) =>
    Object.values(methods).map((operation) => ({
      line: `Webhook ${event}`,
      operation,
      body: bodyOf(document, operation),
      answers: Object.entries(operation.responses),
      samples: [],
    })),
  );
}

function bodyOf({ components }: MerchantDocument, { requestBody }: Operation): SchemaObject | undefined {
  const request = Object.values(requestBody?.content ?? {})[0]?.schema;
  const body = request?.$ref === undefined ? undefined : components.schemas[nameOf(request.$ref)];
  return body?.properties && body;
}

export function commonAnswers(document: MerchantDocument): CommonAnswers {
  const operations = allOperations(document);
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

export function allOperations({ paths }: MerchantDocument): Operation[] {
  return Object.values(paths).flatMap((methods) => Object.values(methods));
}

/** The page of a group, as the last part of its address. */
export const pageOf = (group: string) => `reference-${slugOf(group)}`;

/** The place of an operation in the reference. */
export function addressOfOperation({ operationId, tags: [tag = ""] = [] }: Operation): string {
  return `${pageOf(tag)}#${operationId}`;
}

/** The page of the fields of all bodies. */
export const FIELDS_PAGE = "reference-fields";

export function nameOf($ref: string): string {
  return $ref.slice($ref.lastIndexOf("/") + 1);
}

/** Tells what the examples take from their surroundings. */
export const ABOUT_EXAMPLES =
  "The examples are in curl, in TypeScript with [our client](client.md), and in PHP with `holdfast.php` of " +
  "[PHP and .NET](php-and-dotnet.md). They read your key and its secret from the variables `API_KEY` and `API_SECRET`, " +
  "what a path names from variables such as `PAYMENT_ID`, and from `KEY` the `Idempotency-Key` that you have " +
  "[stored before](retries.md). The client makes a key of its own unless you give it one.";
