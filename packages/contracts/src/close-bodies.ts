type Schema = {
  $ref?: string;
  type?: string;
  properties?: Record<string, Schema>;
  /** A schema where the names are data. */
  additionalProperties?: boolean | object;
  items?: Schema;
  anyOf?: Schema[];
};

/** What is read here of an OpenAPI document. */
type Document = {
  paths?: Record<string, Record<string, { requestBody?: object }>>;
  components?: { schemas?: Record<string, Schema> };
};

/**
 * Says in a document that its API (the operators') takes no other fields than those it lists. The schemas themselves stay open,
 * since some of them also read messages on the bus, which may be of a newer version.
 */
export function closeBodies(document: object): void {
  const { paths = {}, components } = document as Document;
  for (const operations of Object.values(paths)) {
    for (const { requestBody } of Object.values(operations)) {
      if (requestBody === undefined) continue;
      const { content } = requestBody as { content: Record<string, { schema: Schema }> };
      for (const { schema } of Object.values(content)) close(schema, components?.schemas ?? {});
    }
  }
}

function close(schema: Schema, named: Record<string, Schema>): void {
  const target = schema.$ref === undefined ? schema : named[schema.$ref.slice(COMPONENT.length)];
  if (target === undefined) throw new Error(`the document has no ${schema.$ref}`);
  if (target.type === "object") {
    if (target.additionalProperties === false || typeof target.additionalProperties === "object") return;
    target.additionalProperties = false;
  }
  const parts = [...Object.values(target.properties ?? {}), ...(target.anyOf ?? [])];
  for (const part of target.items ? [...parts, target.items] : parts) close(part, named);
}

const COMPONENT = "#/components/schemas/";
