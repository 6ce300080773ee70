// No process reads another's schema: PostgreSQL enforces it. Each schema has an owner role, which migrates it, and
// one or more app roles, which run the service and have the rights that the migrations grant them, table by table.
import { AUDITOR, createAuditor } from "./auditor.ts";
import { upsertLogin } from "./upsert-login.ts";
import { Client, escapeIdentifier, escapeLiteral, type ClientConfig } from "pg";

/** The schemas of the product, one per service. */
export const schemaNames = ["gateway", "payments", "refunds", "settlement", "webhooks", "console"] as const;
export type SchemaName = (typeof schemaNames)[number];

/** The schemas with an audit log. The console's actions are in the logs of the services that carry them out. */
export const auditedSchemas = schemaNames.filter((schema) => schema !== "console");

/** The schema of each service of `services/`. */
export const schemaByService = {
  "api-gateway": "gateway",
  payments: "payments",
  refunds: "refunds",
  "webhook-dispatcher": "webhooks",
  settlement: "settlement",
  console: "console",
} as const satisfies Record<string, SchemaName>;
export type ServiceName = keyof typeof schemaByService;

/** The name that `holdfast` knows a service by. */
export function programOf(service: ServiceName): string {
  return service === "api-gateway" ? "gateway" : service;
}

/** The roles of each schema's service: the gateway's four listeners are trusted with different things. */
const appRoles = {
  gateway: ["gateway_merchant", "gateway_operator", "gateway_public", "gateway_staff"],
  payments: ["payments_app"],
  refunds: ["refunds_app"],
  webhooks: ["webhooks_app"],
  settlement: ["settlement_app"],
  console: ["console_app"],
} as const satisfies Record<SchemaName, readonly string[]>;
export type AppRoleName = (typeof appRoles)[SchemaName][number];

/** The roles of the product: of each schema its owner, and those that its service runs under. */
export type RoleName = `${SchemaName}_owner` | AppRoleName;
export const roleNames: RoleName[] = schemaNames.flatMap((schema): RoleName[] => [
  `${schema}_owner`,
  ...appRoles[schema],
]);
export type RolePasswords = Record<RoleName, string>;

/**
 * A service's role has a second login, which becomes that role as it signs in. So a password can be replaced
 * while processes run: the unused login gets the new one, the processes move to it one by one, and then the
 * old login's password is replaced.
 */
export const appRoleNames: AppRoleName[] = schemaNames.flatMap((schema): AppRoleName[] => [
  ...appRoles[schema],
]);
export type SecondLogin = `${AppRoleName}_2`;
export const secondLoginOf = (role: AppRoleName): SecondLogin => `${role}_2`;
export type SecondPasswords = Partial<Record<SecondLogin, string | undefined>>;

/** Connection URLs of the roles, by schema. */
export type SchemaUrls = {
  gateway: Record<"owner" | "merchant" | "operator" | "public" | "staff", string>;
} & Record<Exclude<SchemaName, "gateway">, Record<"owner" | "app", string>>;

/**
 * Creates the database, its schemas and roles, or brings them to this state; it may run again at every start.
 * `superuserUrl` may name any existing database of the server.
 */
export async function provisionDatabase(options: {
  superuserUrl: string;
  database: string;
  passwords: RolePasswords;
  /** Passwords of the second logins; a login without one cannot sign in. */
  secondPasswords?: SecondPasswords;
  /** The password of the role that verifies the audit logs; without one it cannot sign in. */
  auditorPassword?: string | undefined;
  /**
   * With `false` the connection never uses TLS, in any environment; otherwise the URL decides
   * (`?sslmode=verify-full`).
   */
  ssl?: false;
}): Promise<SchemaUrls> {
  const connection = options.ssl === undefined ? {} : { ssl: options.ssl };
  await withClient({ ...connection, connectionString: options.superuserUrl }, async (client) => {
    await createDatabase(client, options.database);
    for (const role of roleNames) await createRole(client, role, options.passwords[role]);
    for (const role of appRoleNames) {
      await createSecondLogin(client, role, options.secondPasswords?.[secondLoginOf(role)]);
    }
    await createAuditor(client, options.auditorPassword);
    await grantConnect(client, options.database);
  });
  const databaseUrl = urlOf(options.superuserUrl, { database: options.database });
  await withClient({ ...connection, connectionString: databaseUrl }, async (client) => {
    await client.query("revoke all on schema public from public");
    await keepDataInTables(client);
    for (const schema of schemaNames) await asOwnerOf(client, schema, () => createSchema(client, schema));
  });
  return schemaUrls(options);
}

/**
 * Grants the roles the right to connect, which is not copied when a database is cloned from a template. No role gets
 * TEMPORARY: the product uses no temporary tables.
 */
export async function grantConnect(client: Client, database: string): Promise<void> {
  const name = escapeIdentifier(database);
  await client.query(`revoke all on database ${name} from public`);
  const roles = [...roleNames, AUDITOR];
  await client.query(`grant connect on database ${name} to ${roles.join(", ")}`);
}

/**
 * Takes from all roles the functions of large objects, and of messages in the WAL: data there has no retention and is in no
 * schema. On a managed PostgreSQL, whose administrator is no superuser, they stay.
 */
async function keepDataInTables(client: Client): Promise<void> {
  const { rows } = await client.query<{ functions: string | null }>(
    `select string_agg(oid::regprocedure::text, ', ') as functions from pg_proc
     where pronamespace = 'pg_catalog'::regnamespace and pg_has_role(proowner, 'USAGE')
       and (proname ~ '^(lo_|lo(read|write)$)' or proname = 'pg_logical_emit_message')`,
  );
  const { functions } = rows[0]!;
  if (functions !== null) await client.query(`revoke execute on function ${functions} from public`);
}

/** The connection URLs of all roles for one database of the server. */
export function schemaUrls(options: {
  superuserUrl: string;
  database: string;
  passwords: RolePasswords;
}): SchemaUrls {
  const url = (user: RoleName) =>
    urlOf(options.superuserUrl, { database: options.database, user, password: options.passwords[user] });
  return {
    gateway: {
      owner: url("gateway_owner"),
      merchant: url("gateway_merchant"),
      operator: url("gateway_operator"),
      public: url("gateway_public"),
      staff: url("gateway_staff"),
    },
    payments: { owner: url("payments_owner"), app: url("payments_app") },
    refunds: { owner: url("refunds_owner"), app: url("refunds_app") },
    webhooks: { owner: url("webhooks_owner"), app: url("webhooks_app") },
    settlement: { owner: url("settlement_owner"), app: url("settlement_app") },
    console: { owner: url("console_owner"), app: url("console_app") },
  };
}

async function createDatabase(client: Client, database: string): Promise<void> {
  const { rowCount } = await client.query("select from pg_database where datname = $1", [database]);
  if (rowCount === 0) await client.query(`create database ${escapeIdentifier(database)}`);
}

async function createRole(client: Client, role: RoleName, password: string): Promise<void> {
  await upsertLogin(client, role, password);
  await client.query(`alter role ${role} set search_path = ${schemaOf(role)}`);
  if (!role.endsWith("_owner")) await limitTimes(client, role);
}

/** A session's settings come from the login, not from the role that it becomes. */
async function createSecondLogin(
  client: Client,
  role: AppRoleName,
  password: string | undefined,
): Promise<void> {
  const login = secondLoginOf(role);
  await upsertLogin(client, login, password);
  await client.query(`grant ${role} to ${login}`);
  await client.query(`alter role ${login} set role = ${role}`);
  await client.query(`alter role ${login} set search_path = ${schemaOf(role)}`);
  await limitTimes(client, login);
}

function schemaOf(role: RoleName): SchemaName {
  return schemaNames.find((name) => role.startsWith(`${name}_`))!;
}

async function limitTimes(client: Client, login: RoleName | SecondLogin): Promise<void> {
  for (const [setting, value] of Object.entries(appTimeouts)) {
    await client.query(`alter role ${login} set ${setting} = ${escapeLiteral(value)}`);
  }
}

// A service answers within 18 s; a statement or lock that takes this long is an outage, and should end as
// one. Owners have no such limits: migrations may take long, and wait for each other.
const appTimeouts = {
  statement_timeout: "5s",
  lock_timeout: "3s",
  idle_in_transaction_session_timeout: "10s",
};

/**
 * Makes and grants what belongs to a schema's owner. A superuser may do so anyway. Who only may create roles is a member of
 * the owner for so long, and no longer: the owner can read every row.
 */
async function asOwnerOf(client: Client, schema: SchemaName, work: () => Promise<void>): Promise<void> {
  const { rows } = await client.query<{ is_superuser: boolean }>(
    "select rolsuper as is_superuser from pg_roles where rolname = current_user",
  );
  if (rows[0]!.is_superuser) return await work();
  await client.query(`grant ${schema}_owner to current_user with inherit true, set true`);
  try {
    await work();
  } finally {
    await client.query(`revoke ${schema}_owner from current_user granted by current_user`);
  }
}

async function createSchema(client: Client, schema: SchemaName): Promise<void> {
  await client.query(`create schema if not exists ${schema} authorization ${schema}_owner`);
  await client.query(`revoke all on schema ${schema} from public`);
  const auditors = auditedSchemas.some((audited) => audited === schema) ? [AUDITOR] : [];
  const users = [...appRoles[schema], ...auditors];
  await client.query(`grant usage on schema ${schema} to ${users.join(", ")}`);
}

function urlOf(base: string, parts: { database: string; user?: string; password?: string }): string {
  const url = new URL(base);
  url.pathname = `/${encodeURIComponent(parts.database)}`;
  if (parts.user !== undefined) url.username = encodeURIComponent(parts.user);
  if (parts.password !== undefined) url.password = encodeURIComponent(parts.password);
  return url.href;
}

async function withClient(config: ClientConfig, work: (client: Client) => Promise<void>): Promise<void> {
  const client = new Client({ connectionTimeoutMillis: 5_000, ...config });
  // The next query reports a lost connection; without a listener the event would end the process.
  client.on("error", () => undefined);
  try {
    await client.connect();
    await work(client);
  } finally {
    await client.end();
  }
}
