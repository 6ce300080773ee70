// People read a document instead of the code: each field of each schema has a description.
import { openApiJson, type DocumentedListener } from "@holdfast/contracts/openapi";
import { expect, test } from "vitest";

/** The least number of fields of each document: a walk that finds no fields would find no fault. */
const FIELDS = { merchant: 500, operator: 800, staff: 400 } as const;

test.each(Object.entries(FIELDS) as [DocumentedListener, number][])(
  "each field of a schema in the %s document has a description, or the schema that it refers to has",
  (listener, atLeast) => {
    const { fields, undescribed } = fieldsOf(listener);
    expect(fields).toBeGreaterThan(atLeast);
    expect(undescribed).toEqual([]);
  },
);

type Schema = { $ref?: string; description?: string };

function fieldsOf(listener: DocumentedListener): { fields: number; undescribed: string[] } {
  const document = JSON.parse(openApiJson(listener)) as {
    components: { schemas: Record<string, Schema> };
  };
  const named = document.components.schemas;
  const found = [...fieldsIn(document, "")];
  const undescribed = found.filter(
    ([, { $ref = "", description = named[$ref.replace("#/components/schemas/", "")]?.description }]) =>
      description === undefined || description.trim() === "",
  );
  return { fields: found.length, undescribed: undescribed.map(([path]) => path) };
}

/**
 * Skips fields that a schema excludes (`not`), which are described where they are allowed, and examples, which are
 * data.
 */
function* fieldsIn(node: unknown, path: string): Generator<[path: string, field: Schema]> {
  if (typeof node !== "object" || node === null) return;
  for (const [name, inner] of Object.entries(node)) {
    if (name === "not" || name === "examples") continue;
    if (name === "properties") {
      for (const [field, schema] of Object.entries(inner as Record<string, Schema>)) {
        yield [`${path}/${field}`, schema];
        yield* fieldsIn(schema, `${path}/${field}`);
      }
    } else {
      yield* fieldsIn(inner, `${path}/${name}`);
    }
  }
}
