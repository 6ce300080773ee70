import { port, readEnvironment } from "@holdfast/bank-simulator/core";
import { z } from "zod";

const personSchema = z.object({
  name: z.string().min(1).max(200),
  audience: z.enum(["operator", "staff"]),
  roles: z.array(z.string()),
  merchantId: z.string().optional(),
});
/** A person who may sign in, with one click and no password. */
export type Person = z.infer<typeof personSchema>;

const json = <Schema extends z.ZodType>(schema: Schema) =>
  z
    .string({ error: "must be JSON" })
    .transform((text, context): unknown => {
      try {
        return JSON.parse(text);
      } catch {
        context.addIssue({ code: "custom", message: "must be JSON" });
        return z.NEVER;
      }
    })
    .pipe(schema);

const configSchema = z.object({
  /** The port where it listens and browsers find it: it is only ever on this machine. */
  IDENTITY_PROVIDER_PORT: port,
  /** The private key (JWK, ES256) that signs all tokens; its public half is what the gateway verifies them with. */
  IDENTITY_PROVIDER_KEY: json(z.looseObject({ kty: z.literal("EC"), kid: z.string() })),
  IDENTITY_PROVIDER_PEOPLE: json(z.array(personSchema).min(1).max(50)),
  /** `aud` of operators' access tokens. */
  IDENTITY_PROVIDER_AUDIENCE: z.string().min(1),
  /** The audience of merchants' staff. */
  IDENTITY_PROVIDER_STAFF_AUDIENCE: z.string().min(1),
  /** The one client: it may be led back to this address. */
  IDENTITY_PROVIDER_CONSOLE_URL: z.url(),
});
export type Config = z.infer<typeof configSchema>;

/** @throws ConfigError */
export function readConfig(environment: NodeJS.ProcessEnv): Config {
  return readEnvironment(configSchema, environment);
}
