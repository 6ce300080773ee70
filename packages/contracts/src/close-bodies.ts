type Schema = {
  $ref?: string;
  type?: string;
  properties?: Record<string, Schema>;
  /** A schema where the names are data. */
  additionalProperties?: boolean | object;
  items?: Schema;
  anyOf?: Schema[];
};

/** The parts of an OpenAPI document that are read here. */
type Document = {
  paths?: Record<string, Record<string, { requestBody?: object; responses?: object }>>;
  components?: { schemas?: Schemas };
};

type Schemas = Record<string, Schema>;

/**
 * Marks in the operators' document that request bodies accept no undocumented fields. The schemas themselves
 * stay open, since some of them also read messages on the bus, which may come from a newer version. Answers
 * stay open, too: a named schema that an answer uses as well is closed in a copy.
 */
export function closeBodies(document: object): void {
  const { paths = {}, components: { schemas = {} } = {} } = document as Document;
  const operations = Object.values(paths).flatMap((methods) => Object.values(methods));
  const answered = namesIn(
    operations.map(({ responses }) => responses),
    schemas,
  );
  for (const { requestBody } of operations) {
    if (requestBody === undefined) continue;
    const { content } = requestBody as { content: Record<string, { schema: Schema }> };
    for (const { schema } of Object.values(content)) close(schema, schemas, answered);
  }
}

/** The named schemas in a part of the document, and those in them. */
function namesIn(part: unknown, schemas: Schemas, found = new Set<string>()): ReadonlySet<string> {
  JSON.stringify(part, (key, value: unknown) => {
    if (key !== "$ref" || typeof value !== "string") return value;
    const name = value.slice(COMPONENT.length);
    if (found.has(name)) return value;
    found.add(name);
    namesIn(schemas[name], schemas, found);
    return value;
  });
  return found;
}

function close(schema: Schema, schemas: Schemas, answered: ReadonlySet<string>): void {
  const target = schema.$ref === undefined ? schema : ofRequests(schema, schemas, answered);
  if (target.type === "object") {
    if (target.additionalProperties === false || typeof target.additionalProperties === "object") return;
    target.additionalProperties = false;
  }
  const parts = [...Object.values(target.properties ?? {}), ...(target.anyOf ?? [])];
  for (const part of target.items ? [...parts, target.items] : parts) close(part, schemas, answered);
}

/** The schema that a body refers to: the named one, or a copy for requests alone. */
function ofRequests(reference: Schema, schemas: Schemas, answered: ReadonlySet<string>): Schema {
  const name = reference.$ref!.slice(COMPONENT.length);
  const named = schemas[name];
  if (named === undefined) throw new Error(`the document has no ${name}`);
  if (!answered.has(name) || named.type !== "object") return named;
  reference.$ref = `${COMPONENT}${name}Input`;
  return (schemas[`${name}Input`] ??= structuredClone(named));
}

const COMPONENT = "#/components/schemas/";
