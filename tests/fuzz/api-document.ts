import { readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import type { Resolve, Schema } from "./schema-values.ts";

/** One operation of docs/openapi.json, which is what clients read: the fuzzer knows nothing else of the API. */
export type Operation = {
  method: string;
  path: string;
  pathParameters: string[];
  query: Record<string, Schema>;
  body: Schema | undefined;
  /** By status, how the body of a success has to be; undefined where none is described. */
  answers: ReadonlyMap<number, z.ZodType | undefined>;
};

export type ApiDocument = { operations: Operation[]; resolve: Resolve };

type JsonSchema = Parameters<typeof z.fromJSONSchema>[0];

type Json = {
  paths: Record<string, Record<string, OperationObject>>;
  components: { schemas: Record<string, Schema> };
};
type OperationObject = {
  parameters?: { in: string; name: string; schema: Schema }[];
  requestBody?: { content: { "application/json": { schema: Schema } } };
  responses: Record<string, { content?: Record<string, { schema: Schema }> }>;
};

export function readApiDocument(): ApiDocument {
  const file = join(import.meta.dirname, "..", "..", "docs", "openapi.json");
  // JSON Schema by itself keeps what is referred to elsewhere than OpenAPI does.
  const text = readFileSync(file, "utf8").replaceAll("#/components/schemas/", "#/$defs/");
  const { paths, components } = JSON.parse(text) as Json;
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) =>
      operationOf(method, path, operation, components.schemas),
    ),
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
  $defs: Record<string, Schema>,
): Operation {
  const among = (place: string) => parameters.filter((parameter) => parameter.in === place);
  return {
    method: method.toUpperCase(),
    path,
    pathParameters: among("path").map(({ name }) => name),
    query: Object.fromEntries(among("query").map(({ name, schema }) => [name, schema])),
    body: requestBody?.content["application/json"].schema,
    answers: new Map(
      Object.entries(responses).map(([status, { content }]) => {
        const schema = content?.["application/json"]?.schema;
        return [Number(status), schema && z.fromJSONSchema({ ...schema, $defs } as JsonSchema)];
      }),
    ),
  };
}
