// The services that a sandbox runs: one entry each, and nothing else in the sandbox knows their names.
import { join } from "node:path";
import {
  schemaByService,
  type SchemaName,
  type SchemaUrls,
  type ServiceName,
} from "./infrastructure/index.ts";
import { operatorAudience, operatorIssuer, operatorTokenAge } from "./operators.ts";
import type { Ports } from "./ports.ts";
import { repositoryRoot } from "./repository-root.ts";
import type { Secrets } from "./secrets.ts";

/** What a service may be told about the sandbox around it. */
export type ServiceSurroundings = {
  ports: Ports;
  /** Without a user: each service is given its own. */
  natsUrl: string;
  databaseUrls: SchemaUrls;
  secrets: Secrets;
  operatorJwksFile: string;
  /** The sandbox's own CA. */
  caFile: string;
};

export type ServiceDefinition = {
  /** Also of its user on the bus. */
  name: ServiceName;
  /** The schema that it alone touches; migrated as the schema's owner. */
  schema: SchemaName;
  /** Absolute paths of the program and of the program that migrates its schema. */
  main: string;
  migration: string;
  /** Takes requests from outside: it is stopped before the services that answer it. */
  isEdge: boolean;
  /** What it needs beside the settings that all services get (LISTEN_HOST, HEALTH_PORT, DATABASE_URL, NATS_*). */
  environment(surroundings: ServiceSurroundings): Record<string, string>;
};

export const serviceDefinitions: ServiceDefinition[] = [
  {
    ...service("api-gateway"),
    isEdge: true,
    environment: ({ ports, secrets, ...surroundings }) => ({
      MERCHANT_API_PORT: `${ports.merchantApi}`,
      OPERATOR_API_PORT: `${ports.operatorApi}`,
      PUBLIC_PAGES_PORT: `${ports.publicPages}`,
      PUBLIC_URL: `http://127.0.0.1:${ports.publicPages}`,
      THREE_DS_STATE_KEYS: `k1:${secrets.threeDsStateKey}`,
      CARD_SEALING_KEYS: `k1:${secrets.cardSealingKey}`,
      CREDENTIAL_PEPPERS: `1:${secrets.credentialPepper}`,
      ...operatorTokens(surroundings),
    }),
  },
  {
    ...service("payments"),
    isEdge: false,
    environment: ({ ports, secrets, ...surroundings }) => ({
      ...operatorTokens(surroundings),
      CARD_SEALING_KEYS: `k1:${secrets.cardSealingKey}`,
      PAN_FINGERPRINT_KEYS: `0:${secrets.panFingerprintKey}`,
      ACQUIRER_URL: `http://127.0.0.1:${ports.acquirerSimulator}`,
    }),
  },
  {
    ...service("refunds"),
    isEdge: false,
    environment: ({ ports, ...surroundings }) => ({
      ...operatorTokens(surroundings),
      ACQUIRER_URL: `http://127.0.0.1:${ports.acquirerSimulator}`,
    }),
  },
  {
    ...service("webhook-dispatcher"),
    isEdge: false,
    environment: ({ secrets, caFile, ...surroundings }) => ({
      ...operatorTokens(surroundings),
      WEBHOOK_SECRET_KEYS: `k1:${secrets.webhookSecretKey}`,
      // A merchant's receiver on this machine.
      ...unlessGiven({
        WEBHOOK_ALLOWED_CIDRS: "127.0.0.0/8,::1/128",
        WEBHOOK_ALLOWED_PORTS: "any",
        WEBHOOK_CA_FILE: caFile,
      }),
    }),
  },
];

/** How operators' tokens are verified: the sandbox signs them itself. */
function operatorTokens({ operatorJwksFile }: Pick<ServiceSurroundings, "operatorJwksFile">) {
  return {
    OPERATOR_JWKS: operatorJwksFile,
    OPERATOR_JWT_ISSUER: operatorIssuer,
    OPERATOR_JWT_AUDIENCE: operatorAudience,
    OPERATOR_TOKEN_AGE_MAX: operatorTokenAge,
  };
}

/** Settings of the sandbox that whoever starts it may replace. */
function unlessGiven(settings: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(settings).filter(([name]) => !process.env[name]));
}

function service(name: ServiceName): Pick<ServiceDefinition, "name" | "schema" | "main" | "migration"> {
  const sources = join(repositoryRoot, "services", name, "src");
  return {
    name,
    schema: schemaByService[name],
    main: join(sources, "main.ts"),
    migration: join(sources, "migrate.ts"),
  };
}
