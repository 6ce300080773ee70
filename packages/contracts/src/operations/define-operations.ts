import { z } from "zod";
import { workOf, type Endpoint, type EndpointFields } from "../http/endpoint.ts";
import {
  defineCommand,
  defineOperatorCommand,
  type Command,
  type CommandContext,
  type MessageContext,
  type OperatorMessageContext,
} from "../messages/message.ts";
import type { OperatorRole } from "../operator-role.ts";

/**
 * An operation as it is written: the endpoint that the gateway serves, and its command on the bus. Its name
 * is its key in the table. The command, its permissions, the OpenAPI document and, for most operations, the
 * gateway's route follow from it.
 */
type Definition = EndpointFields & {
  /** The service that carries it out and the command's name there. Without it the gateway answers by itself. */
  subject?: `${string}.${string}`;
  /** The command's request; by default the parameters of the path and the fields of the body. */
  payload?: z.ZodType;
  /** The command's result; by default the body of the answer. */
  result?: z.ZodType;
};
type OperatorDefinition = Definition & { role: OperatorRole; recentSignIn?: true };

type Operations<L extends "merchant" | "operator", C extends CommandContext, Table> = {
  [Id in keyof Table & string]: Table[Id] & { operationId: Id; listener: L } & CommandOf<Table[Id], C>;
};
type CommandOf<D, C extends CommandContext> = D extends { subject: string }
  ? { command: Command<PayloadOf<D>, ResultOf<D>, C> }
  : unknown;
type PayloadOf<D> = D extends { payload: infer Payload extends z.ZodType }
  ? Payload
  : z.ZodObject<Flat<ShapeOf<D, "pathParameters"> & ShapeOf<D, "request">>>;
type ShapeOf<D, Field extends string> = D extends Record<Field, z.ZodObject<infer Shape>> ? Shape : unknown;
type Flat<Shape> = { [Name in keyof Shape]: Shape[Name] & z.ZodType };
type ResultOf<D> = D extends { result: infer Result extends z.ZodType }
  ? Result
  : D extends { responses: infer Responses }
    ? { [Status in keyof Responses]: BodyOf<Responses[Status]> }[keyof Responses]
    : never;
type BodyOf<Response> = Response extends { body: infer Body extends z.ZodType } ? Body : typeof NOTHING;

const NOTHING = z.object({});

/** An operation of operators, for code that treats all of them alike. */
export type OperatorOperation = Extract<Endpoint, { listener: "operator" }> &
  Pick<Definition, "payload" | "result"> & {
    command?: Command<z.ZodType, z.ZodType<object>, OperatorMessageContext>;
  };

/** Operations of operators, by name, in the order of the document. */
export function defineOperatorOperations<const Table extends Record<string, OperatorDefinition>>(
  table: Table,
) {
  return endpointsOf("operator", table, (definition: OperatorDefinition) =>
    defineOperatorCommand({ ...commandOf(definition), role: definition.role, ...recent(definition) }),
  ) as Operations<"operator", OperatorMessageContext, Table>;
}

/** Operations of merchants' servers, by name, in the order of the document. */
export function defineMerchantOperations<const Table extends Record<string, Definition>>(table: Table) {
  return endpointsOf("merchant", table, (definition: Definition) =>
    defineCommand(commandOf(definition)),
  ) as Operations<"merchant", MessageContext, Table>;
}

function endpointsOf<D extends Definition>(
  listener: Endpoint["listener"],
  table: Readonly<Record<string, D>>,
  define: (definition: D) => Command,
): Record<string, object> {
  return Object.fromEntries(
    Object.entries(table).map(([operationId, definition]) => {
      const command = definition.subject !== undefined && { command: define(definition) };
      return [operationId, { ...definition, operationId, listener, ...command }];
    }),
  );
}

function commandOf(definition: Definition) {
  const { subject = "", pathParameters, request: body, responses } = definition;
  const [service = "", name = ""] = subject.split(".");
  const { payload, result = Object.values(responses)[0]?.body ?? NOTHING } = definition;
  if (payload === undefined && body !== undefined && !(body instanceof z.ZodObject))
    throw new TypeError(`${subject} needs a payload, since its body is no object`);
  const fields = body instanceof z.ZodObject ? body.shape : {};
  const request = payload ?? z.object({ ...pathParameters?.shape, ...fields });
  return { service, name, request, result, work: workOf(definition) };
}

function recent({ recentSignIn }: OperatorDefinition) {
  return recentSignIn && { recentSignIn };
}
