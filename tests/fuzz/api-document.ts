import { openApiJson, type DocumentedListener } from "@holdfast/contracts/openapi";
import { z } from "zod";
import type { Resolve, Schema } from "./schema-values.ts";

/** One operation of the OpenAPI documents, which clients read: the fuzzer knows nothing else of the APIs. */
export type Operation = {
  method: string;
  path: string;
  pathParameters: string[];
  query: Record<string, Schema>;
  body: Schema | undefined;
  /** The schemas of successes' bodies by status; undefined if none is described. */
  answers: ReadonlyMap<number, z.ZodType | undefined>;
};

export type ApiDocument = { operations: Operation[]; resolve: Resolve };

type JsonSchema = Parameters<typeof z.fromJSONSchema>[0];

type Json = {
  paths: Record<string, Record<string, OperationObject>>;
  components: { schemas: Schemas };
};
type Schemas = Record<string, Schema>;
type OperationObject = {
  parameters?: { in: string; name: string; schema: Schema }[];
  requestBody?: { content: { "application/json"?: { schema: Schema } } };
  responses: Record<string, { content?: Record<string, { schema: Schema }> }>;
};

/** All documents as one: a name means the same in each of them. */
export function readApiDocument(): ApiDocument {
  const documents = (["merchant", "operator", "staff"] as const).map(readDocument);
  const schemas = Object.assign({}, ...documents.map(({ components }) => components.schemas)) as Schemas;
  const operations = documents.flatMap(({ paths, components }) =>
    Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) =>
        operationOf(method, path, operation, components.schemas),
      ),
    ),
  );
  return {
    operations,
    resolve: (schema) => schemas[schema.$ref?.split("/").at(-1) ?? ""] ?? schema,
  };
}

function readDocument(listener: DocumentedListener): Json {
  // JSON Schema by itself keeps referred schemas elsewhere than OpenAPI does.
  return JSON.parse(openApiJson(listener).replaceAll("#/components/schemas/", "#/$defs/")) as Json;
}

function operationOf(
  method: string,
  path: string,
  { parameters = [], requestBody, responses }: OperationObject,
  $defs: Record<string, Schema>,
): Operation {
  const among = (place: string) => parameters.filter((parameter) => parameter.in === place);
  return {
    method: method.toUpperCase(),
    path,
    pathParameters: among("path").map(({ name }) => name),
    query: Object.fromEntries(among("query").map(({ name, schema }) => [name, schema])),
    body: requestBody?.content["application/json"]?.schema,
    answers: new Map(
      Object.entries(responses).map(([status, { content }]) => {
        const schema = content?.["application/json"]?.schema;
        return [Number(status), schema && z.fromJSONSchema(closed({ ...schema, $defs }) as JsonSchema)];
      }),
    ),
  };
}

/**
 * Clients ignore fields of an answer that they do not know, so the documents leave answers open. Of this service's own
 * answers every field has to be in them.
 */
function closed(schema: object): object {
  return JSON.parse(JSON.stringify(schema), (_key, value: unknown) => {
    const isObject = typeof value === "object" && value !== null && "properties" in value && "type" in value;
    return isObject && value.type === "object" ? { ...value, additionalProperties: false } : value;
  }) as object;
}
