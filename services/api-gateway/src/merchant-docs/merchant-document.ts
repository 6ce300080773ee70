import { z } from "zod";

/** The parts of docs/openapi.merchant.json that the reference shows. It passes over unknown ones. */
const schemaObject = z.object({
  $ref: z.string().optional(),
  type: z.string().optional(),
  format: z.string().optional(),
  const: z.union([z.string(), z.number(), z.boolean()]).optional(),
  enum: z.array(z.union([z.string(), z.number(), z.boolean()])).optional(),
  description: z.string().optional(),
  examples: z.array(z.unknown()).optional(),
  required: z.array(z.string()).optional(),
  minLength: z.number().optional(),
  maxLength: z.number().optional(),
  minItems: z.number().optional(),
  maxItems: z.number().optional(),
  get properties() {
    return z.record(z.string(), schemaObject).optional();
  },
  get items() {
    return schemaObject.optional();
  },
  get anyOf() {
    return z.array(schemaObject).optional();
  },
  get oneOf() {
    return z.array(schemaObject).optional();
  },
});

const bodySchema = z.record(
  z.string(),
  z.object({ schema: schemaObject.optional(), example: z.unknown().optional() }),
);

const operationSchema = z.object({
  operationId: z.string(),
  tags: z.array(z.string()).optional(),
  summary: z.string(),
  description: z.string(),
  parameters: z
    .array(
      z.object({
        in: z.string(),
        name: z.string(),
        required: z.boolean().optional(),
        description: z.string().optional(),
        schema: schemaObject.optional(),
      }),
    )
    .optional(),
  requestBody: z.object({ content: bodySchema }).optional(),
  responses: z.record(z.string(), z.object({ description: z.string(), content: bodySchema.optional() })),
});

export const merchantDocumentSchema = z.object({
  info: z.object({ description: z.string() }),
  tags: z.array(z.object({ name: z.string(), description: z.string() })),
  paths: z.record(z.string(), z.record(z.string(), operationSchema)),
  webhooks: z.record(z.string(), z.record(z.string(), operationSchema)),
  components: z.object({ schemas: z.record(z.string(), schemaObject) }),
});

export type MerchantDocument = z.infer<typeof merchantDocumentSchema>;
export type Operation = z.infer<typeof operationSchema>;
export type SchemaObject = z.infer<typeof schemaObject>;
