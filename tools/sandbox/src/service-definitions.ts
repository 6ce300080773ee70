// The services that a sandbox runs: one entry each, and nothing else in the sandbox knows their names.
import type { BusUser } from "@holdfast/contracts";
import {
  programOf,
  schemaByService,
  type SchemaName,
  type SchemaUrls,
  type ServiceName,
} from "./infrastructure/index.ts";
import { operatorAudience, operatorIssuerOf, operatorTokenAge, staffAudience } from "./operators.ts";
import type { Ports } from "./ports.ts";
import type { Secrets } from "./secrets.ts";

/** The surroundings that a service's settings may name. */
export type ServiceSurroundings = {
  ports: Ports;
  /** The URL without a user: each service is given its own. */
  natsUrl: string;
  databaseUrls: SchemaUrls;
  secrets: Secrets;
  operatorJwksFile: string;
  /** The sandbox's own CA. */
  caFile: string;
};

export type ServiceDefinition = {
  /** The name of the process. */
  name: string;
  /** The user that signs in to the bus; undefined if it is not on it. */
  busUser: BusUser | undefined;
  /** The schema that it touches; migrated as the schema's owner. */
  schema: SchemaName;
  /** The database, as the role that the process runs under. */
  databaseUrl(urls: SchemaUrls): string;
  /** `holdfast run` and `holdfast migrate` know it by this name. */
  program: string;
  /** Takes requests from outside: it is stopped before the services that answer it. */
  isEdge: boolean;
  /**
   * Its settings in addition to those that all services get (LISTEN_HOST, HEALTH_PORT, DATABASE_URL, NATS_*).
   */
  environment(surroundings: ServiceSurroundings): Record<string, string>;
};

export const serviceDefinitions: ServiceDefinition[] = [
  {
    ...service("api-gateway"),
    busUser: "gateway-merchant",
    databaseUrl: ({ gateway }) => gateway.merchant,
    isEdge: true,
    environment: ({ ports, secrets }) => ({
      ...listener({ MERCHANT_API_PORT: `${ports.merchantApi}` }),
      MERCHANT_API_URL: `http://127.0.0.1:${ports.merchantApi}`,
      PUBLIC_URL: publicUrlOf(ports),
      THREE_DS_STATE_KEYS: `k1:${secrets.threeDsStateKey}`,
      CARD_SEALING_KEYS: `k1:${secrets.cardSealingKey}`,
      CREDENTIAL_PEPPERS: `1:${secrets.credentialPepper}`,
    }),
  },
  {
    ...service("api-gateway"),
    name: "gateway-operator",
    busUser: "gateway-operator",
    databaseUrl: ({ gateway }) => gateway.operator,
    isEdge: true,
    environment: ({ ports, secrets, operatorJwksFile }) => ({
      ...listener({ OPERATOR_API_PORT: `${ports.operatorApi}` }),
      CREDENTIAL_PEPPERS: `1:${secrets.credentialPepper}`,
      ...peoplesTokens({ ports, operatorJwksFile }),
    }),
  },
  {
    ...service("api-gateway"),
    name: "gateway-public",
    busUser: "gateway-public",
    databaseUrl: ({ gateway }) => gateway.public,
    isEdge: true,
    environment: ({ ports, secrets }) => ({
      ...listener({ PUBLIC_PAGES_PORT: `${ports.publicPages}` }),
      PUBLIC_URL: publicUrlOf(ports),
      THREE_DS_STATE_KEYS: `k1:${secrets.threeDsStateKey}`,
      CARD_SEALING_KEYS: `k1:${secrets.cardSealingKey}`,
    }),
  },
  {
    ...service("api-gateway"),
    name: "gateway-staff",
    busUser: "gateway-staff",
    databaseUrl: ({ gateway }) => gateway.staff,
    isEdge: true,
    environment: ({ ports, secrets, operatorJwksFile }) => ({
      ...listener({ STAFF_API_PORT: `${ports.staffApi}` }),
      PUBLIC_URL: publicUrlOf(ports),
      CREDENTIAL_PEPPERS: `1:${secrets.credentialPepper}`,
      ...peoplesTokens({ ports, operatorJwksFile }),
    }),
  },
  {
    ...service("payments"),
    busUser: "payments",
    databaseUrl: ({ payments }) => payments.app,
    isEdge: false,
    environment: ({ ports, secrets, operatorJwksFile }) => ({
      ...peoplesTokens({ ports, operatorJwksFile }),
      CARD_SEALING_KEYS: `k1:${secrets.cardSealingKey}`,
      PAN_FINGERPRINT_KEYS: `0:${secrets.panFingerprintKey}`,
      ACCOUNT_SECRET_KEYS: `k1:${secrets.accountSecretKey}`,
      FILE_KEYS: `k1:${secrets.fileKey}`,
      ALLOW_SIMULATOR: "live",
      // One person tries accounts out here.
      ...unlessGiven({ ACCOUNT_CHANGES_TWO_PEOPLE: "false", ACQUIRER_HOSTS: "127.0.0.1" }),
    }),
  },
  {
    ...service("refunds"),
    busUser: "refunds",
    databaseUrl: ({ refunds }) => refunds.app,
    isEdge: false,
    environment: peoplesTokens,
  },
  {
    ...service("settlement"),
    busUser: "settlement",
    databaseUrl: ({ settlement }) => settlement.app,
    isEdge: false,
    environment: ({ secrets, ...surroundings }) => ({
      ...peoplesTokens(surroundings),
      FILE_KEYS: `k1:${secrets.fileKey}`,
      ...unlessGiven({ FILE_CHANGES_TWO_PEOPLE: "false" }),
    }),
  },
  {
    ...service("webhook-dispatcher"),
    busUser: "webhook-dispatcher",
    databaseUrl: ({ webhooks }) => webhooks.app,
    isEdge: false,
    environment: ({ secrets, caFile, ...surroundings }) => ({
      ...peoplesTokens(surroundings),
      WEBHOOK_SECRET_KEYS: `k1:${secrets.webhookSecretKey}`,
      // A merchant's receiver on this machine.
      ...unlessGiven({
        WEBHOOK_ALLOWED_CIDRS: "127.0.0.0/8,::1/128",
        WEBHOOK_ALLOWED_PORTS: "any",
        WEBHOOK_CA_FILE: caFile,
      }),
    }),
  },
  {
    ...service("console"),
    busUser: undefined,
    databaseUrl: ({ console }) => console.app,
    isEdge: true,
    environment: ({ ports, secrets }) => ({
      CONSOLE_PORT: `${ports.console}`,
      CONSOLE_URL: `http://127.0.0.1:${ports.console}`,
      OPERATOR_API_URL: `http://127.0.0.1:${ports.operatorApi}`,
      STAFF_API_URL: `http://127.0.0.1:${ports.staffApi}`,
      OIDC_ISSUER: operatorIssuerOf(ports),
      OIDC_CLIENT_ID: "holdfast-console",
      OIDC_CLIENT_PASSWORD: "",
      OIDC_RESOURCE: "urn:holdfast:operator-api",
      CONSOLE_SESSION_KEYS: `k1:${secrets.consoleSessionKey}`,
    }),
  },
];

/**
 * The verification settings for tokens of operators and of the demo merchant's staff: the sandbox and its
 * identity provider sign both with one key. A verifier of one audience's tokens knows the other audience, to
 * refuse its tokens; services accept both.
 */
function peoplesTokens({ operatorJwksFile, ports }: Pick<ServiceSurroundings, "operatorJwksFile" | "ports">) {
  return {
    OPERATOR_JWKS: operatorJwksFile,
    OPERATOR_JWT_ISSUER: operatorIssuerOf(ports),
    OPERATOR_JWT_AUDIENCE: operatorAudience,
    OPERATOR_TOKEN_AGE_MAX: operatorTokenAge,
    // The tokens that are printed at the start do not name a sign-in; the identity provider's do.
    OPERATOR_DECISION_ISSUED_AGE_MAX: operatorTokenAge,
    STAFF_JWKS: operatorJwksFile,
    STAFF_JWT_ISSUER: operatorIssuerOf(ports),
    STAFF_JWT_AUDIENCE: staffAudience,
    STAFF_TOKEN_AGE_MAX: operatorTokenAge,
    STAFF_DECISION_ISSUED_AGE_MAX: operatorTokenAge,
  };
}

/** Sets one port and unsets the others, in any environment of the sandbox. */
function listener(port: Record<string, string>): Record<string, string> {
  return { MERCHANT_API_PORT: "", OPERATOR_API_PORT: "", PUBLIC_PAGES_PORT: "", STAFF_API_PORT: "", ...port };
}

function publicUrlOf({ publicPages }: Ports): string {
  return `http://127.0.0.1:${publicPages}`;
}

/** Settings of the sandbox that the environment may replace. */
function unlessGiven(settings: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(settings).filter(([name]) => !process.env[name]));
}

function service(name: ServiceName): Pick<ServiceDefinition, "name" | "schema" | "program"> {
  return { name, schema: schemaByService[name], program: programOf(name) };
}
