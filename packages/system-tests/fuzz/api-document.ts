import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Resolve, Schema } from "./schema-values.ts";

/** One operation of docs/openapi.json, which is what clients read: the fuzzer knows nothing else of the API. */
export type Operation = {
  method: string;
  path: string;
  pathParameters: string[];
  query: Record<string, Schema>;
  body: Schema | undefined;
  statuses: ReadonlySet<number>;
};

export type ApiDocument = { operations: Operation[]; resolve: Resolve };

type Json = {
  paths: Record<string, Record<string, OperationObject>>;
  components: { schemas: Record<string, Schema> };
};
type OperationObject = {
  parameters?: { in: string; name: string; schema: Schema }[];
  requestBody?: { content: { "application/json": { schema: Schema } } };
  responses: Record<string, unknown>;
};

export function readApiDocument(): ApiDocument {
  const file = join(import.meta.dirname, "..", "..", "..", "docs", "openapi.json");
  const { paths, components } = JSON.parse(readFileSync(file, "utf8")) as Json;
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => operationOf(method, path, operation)),
  );
  return {
    operations,
    resolve: (schema) => components.schemas[schema.$ref?.split("/").at(-1) ?? ""] ?? schema,
  };
}

function operationOf(
  method: string,
  path: string,
  { parameters = [], requestBody, responses }: OperationObject,
): Operation {
  const among = (place: string) => parameters.filter((parameter) => parameter.in === place);
  return {
    method: method.toUpperCase(),
    path,
    pathParameters: among("path").map(({ name }) => name),
    query: Object.fromEntries(among("query").map(({ name, schema }) => [name, schema])),
    body: requestBody?.content["application/json"].schema,
    statuses: new Set(Object.keys(responses).map(Number)),
  };
}
