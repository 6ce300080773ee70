import { appRoleNames, secondLoginOf } from "@holdfast/installation";
import { AUDITOR, schemaNames, withClient, type SchemaName } from "@holdfast/sandbox/infrastructure";
import { createTestDatabase, type TestDatabase } from "../support/index.ts";
import { Pool } from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

type Rights = string[];

const WRITES_MERCHANTS: Rights = [
  "SELECT",
  "INSERT (name, commission_rate_percent, commission_fixed, commission_currency, commission_rules, commission_may_exceed_amount, rules, refunds_commission)",
  "UPDATE (name, status, commission_rate_percent, commission_fixed, commission_currency, commission_rules, commission_may_exceed_amount, rules, refunds_commission, branding, version)",
];
const REFUSES_OPERATORS: Rights = ["SELECT", "INSERT (person, reason, refused_by)", "DELETE"];
const WRITES_CREDENTIALS: Rights = [
  "SELECT",
  "INSERT (api_key, merchant_id, secret_hash, pepper_id, issued_by, expires_at, addresses)",
  "UPDATE (revoked_at)",
];

const SEE_MIGRATIONS: Rights = ["SELECT (name)"];
const SEE_MIGRATIONS_BY_LISTENER = {
  gateway_merchant: SEE_MIGRATIONS,
  gateway_operator: SEE_MIGRATIONS,
  gateway_public: SEE_MIGRATIONS,
  gateway_staff: SEE_MIGRATIONS,
};

// The rights of each service's role on each table, repeated independently of the migrations. A table, a view
// or a sequence without a line here fails, and so does an additional or missing privilege. Partitions have
// one line, as _DAY. If a schema has several roles, each has its own rights; an unnamed role has none.
const TABLES: Record<`${SchemaName}.${string}`, Rights | Partial<Record<string, Rights>>> = {
  "gateway.merchant": {
    gateway_merchant: ["SELECT"],
    gateway_operator: WRITES_MERCHANTS,
    gateway_public: [
      "SELECT (merchant_id, name, status, commission_rate_percent, commission_fixed, commission_currency, commission_rules, commission_may_exceed_amount, rules, refunds_commission, branding)",
    ],
    gateway_staff: [
      "SELECT (merchant_id, name, status, commission_rate_percent, commission_fixed, commission_currency, commission_rules, commission_may_exceed_amount, rules, created_at, refunds_commission, branding, version)",
    ],
  },
  "gateway.credential": {
    gateway_merchant: ["SELECT"],
    gateway_operator: WRITES_CREDENTIALS,
    // The columns leave out the secrets' hashes.
    gateway_staff: [
      "SELECT (api_key, merchant_id, created_at, revoked_at, issued_by, expires_at, addresses, last_used_on)",
    ],
  },
  "gateway.audit_entry": {
    gateway_operator: ["SELECT", "INSERT"],
    gateway_staff: ["SELECT", "INSERT"],
  },
  "gateway.refused_operator": {
    gateway_operator: REFUSES_OPERATORS,
    gateway_staff: ["SELECT (person)"],
  },
  "gateway.log_level": {
    gateway_operator: [
      "SELECT",
      "INSERT (service, level, ends_at, changed_by, changed_at)",
      "DELETE",
      "UPDATE (level, ends_at, changed_by, changed_at)",
    ],
  },
  "gateway.operator_key": {
    gateway_operator: [
      "SELECT",
      "INSERT (subject, scope, key, fingerprint, resource_id, lease_id, leased_until)",
      "DELETE",
      "UPDATE (lease_id, leased_until, answer)",
    ],
  },
  "gateway.staff_key": {
    gateway_operator: ["SELECT", "DELETE", "UPDATE (lease_id)"],
    gateway_staff: [
      "SELECT",
      "INSERT (subject, scope, key, fingerprint, resource_id, lease_id, leased_until)",
      "DELETE",
      "UPDATE (lease_id, leased_until, answer)",
    ],
  },

  "payments.payment": [
    "SELECT",
    "INSERT",
    "UPDATE (state, version, state_since, request_ip, request_port, claims_order, commission_minor, pan_fingerprint, account_id, external_transaction_id, auth_code, result_code, result_message, decline_class, captured_minor, released_minor, reserved_minor, refunded_minor, charged_back_minor, operation_id, authorization_expires_at, lease_token, lease_until, recover_at, recovery_from, recovery_attempts, last_inquiry, notified_at, updated_at)",
  ],
  "payments.payment_history": ["SELECT", "INSERT"],
  "payments.bank_call": [
    "SELECT",
    "INSERT",
    "UPDATE (answered_at, outcome, external_transaction_id, own_name, auth_code, result_code, result_message, approved_minor, approved_currency, heard_at)",
  ],
  "payments.payment_operation": ["SELECT", "INSERT", "UPDATE"],
  "payments.payment_resolution": ["SELECT", "INSERT", "UPDATE", "DELETE"],
  "payments.payment_watch": [
    "SELECT",
    "INSERT",
    "UPDATE (due_at, attempts, sighted_at, ended_at, last_inquiry)",
  ],
  "payments.refund_reservation": [
    "SELECT",
    "INSERT (refund_id, payment_id, merchant_id, amount_minor, kind, state, refusal, asked_by)",
    "DELETE",
    "UPDATE (state, agreed_by, agreed_at, refused_at)",
  ],
  "payments.chargeback": ["SELECT", "INSERT", "UPDATE"],
  "payments.chargeback_line": ["SELECT", "INSERT", "UPDATE (chargeback_id)"],
  "payments.chargeback_evidence": ["SELECT", "INSERT", "DELETE", "UPDATE (sealed_at)"],
  "payments.chargeback_evidence_part": ["SELECT", "INSERT", "DELETE", "UPDATE (key_id, content)"],
  "payments.idempotency_key": ["SELECT", "INSERT", "DELETE", "UPDATE (answer)"],
  "payments.outbox": ["SELECT", "INSERT", "UPDATE (confirmed_at, publish_attempts, publish_at)"],
  "payments.audit_entry": ["SELECT", "INSERT"],
  "payments.three_ds_session": [
    "SELECT",
    "INSERT",
    "UPDATE (acquirer_session, challenge, trans_status, eci, ds_trans_id)",
  ],
  "payments.checkout": [
    "SELECT",
    "INSERT",
    "UPDATE (state, payment_id, attempts, closed_at, sealed_details)",
  ],
  "payments.checkout_payment": ["SELECT", "INSERT"],
  "payments.payment_link": ["SELECT", "INSERT", "UPDATE (taken_by, disabled_at)"],
  "payments.pan_fingerprint_key": ["SELECT", "INSERT", "UPDATE (last_used_at)"],
  "payments.bin_import": ["SELECT"],
  "payments.bin_import_version_seq": [],
  "payments.bin_range": ["SELECT"],
  "payments.rule_counter": ["SELECT", "INSERT", "UPDATE", "DELETE"],
  "payments.rule_attempt": ["SELECT", "INSERT", "DELETE"],
  "payments.acquirer_account": [
    "SELECT",
    "INSERT",
    "UPDATE (name, currencies, state, is_default, is_test_default, time_zone, cut_off, late_arrival_ms, connections_max, version, used_version)",
  ],
  "payments.acquirer_account_version": [
    "SELECT",
    "INSERT",
    "UPDATE (confirmed_by, confirmed_at, sealed_secrets)",
  ],
  "payments.acquirer_call_slot": ["SELECT", "INSERT", "UPDATE (taken_at)"],
  "payments.merchant_route": ["SELECT", "INSERT", "UPDATE (confirmed_by, confirmed_at)"],
  "payments.purge_progress": ["SELECT", "UPDATE (through_at, through_id)"],

  "refunds.refund": [
    "SELECT",
    "DELETE",
    "INSERT (refund_id, payment_id, merchant_id, version, amount_minor, currency, currency_exponent, requested_by, request_reason, credential_issued_by, traceparent, lease_token, lease_until, recover_at)",
    "UPDATE (state, version, state_since, kind, order_id, customer_id, installment_count, card_holder_name, masked_pan, dom_int, card_scheme, card_type, card_sub_type, loyalty_code, account_id, approvals_required, rejected_by, rejection_reason, bank_reference, external_transaction_id, auth_code, result_code, result_message, approved_minor, approved_currency, as_void, lease_token, lease_until, recover_at, recovery_attempts, last_inquiry, notified_at, updated_at, currency_exponent)",
  ],
  "refunds.refund_resolution": ["SELECT", "INSERT", "UPDATE", "DELETE"],
  "refunds.refund_history": ["SELECT", "INSERT"],
  "refunds.refund_approval": ["SELECT", "INSERT"],
  "refunds.idempotency_key": ["SELECT", "INSERT", "DELETE", "UPDATE (answer)"],
  "refunds.outbox": ["SELECT", "INSERT", "UPDATE (confirmed_at, publish_attempts, publish_at)"],
  "refunds.audit_entry": ["SELECT", "INSERT"],

  "webhooks.endpoint": ["SELECT", "INSERT", "UPDATE", "DELETE"],
  "webhooks.delivery": ["SELECT", "INSERT", "UPDATE", "DELETE"],
  "webhooks.endpoint_hour": ["SELECT", "INSERT", "UPDATE"],
  "webhooks.merchant_setting": ["SELECT", "INSERT", "UPDATE"],
  "webhooks.endpoint_health": ["SELECT", "INSERT", "UPDATE", "DELETE"],
  "webhooks.event": ["SELECT", "INSERT"],
  "webhooks.event_default": ["SELECT"],
  "webhooks.event_DAY": [],
  "webhooks.outcome": ["SELECT", "INSERT", "UPDATE (outcome, resolved_at)"],
  "webhooks.outcome_default": ["SELECT"],
  "webhooks.outcome_DAY": [],
  "webhooks.attempt": ["SELECT", "INSERT"],
  "webhooks.attempt_default": ["SELECT"],
  "webhooks.attempt_DAY": [],
  "webhooks.poison": ["SELECT", "INSERT"],
  "webhooks.audit_entry": ["SELECT", "INSERT"],

  "settlement.fact": ["SELECT", "INSERT", "UPDATE"],
  "settlement.feed": ["SELECT", "UPDATE (aim, aimed_at, complete_at, place)"],
  "settlement.account": ["SELECT", "INSERT", "UPDATE"],
  "settlement.merchant_account": ["SELECT", "INSERT"],
  "settlement.import": ["SELECT", "INSERT", "UPDATE"],
  "settlement.line": ["SELECT", "INSERT", "UPDATE", "DELETE"],
  "settlement.line_fault": ["SELECT", "INSERT", "DELETE"],
  "settlement.payout": ["SELECT", "INSERT", "UPDATE"],
  "settlement.upload": ["SELECT", "INSERT", "UPDATE", "DELETE"],
  "settlement.upload_part": ["SELECT", "INSERT", "DELETE"],
  "settlement.chargeback_report": ["SELECT", "INSERT", "UPDATE (tell_at)"],
  "settlement.difference": ["SELECT", "INSERT", "UPDATE"],
  "settlement.difference_note": ["SELECT", "INSERT"],
  "settlement.statement": ["SELECT", "INSERT", "UPDATE (awaits, revision)"],
  "settlement.statement_revision": ["SELECT", "INSERT"],
  "settlement.statement_change": ["SELECT", "INSERT", "DELETE", "UPDATE (look_at)"],
  "settlement.outbox": ["SELECT", "INSERT", "UPDATE (confirmed_at, publish_attempts, publish_at)"],
  "settlement.audit_entry": ["SELECT", "INSERT"],

  "console.session": [
    "SELECT",
    "INSERT (session_hash, subject, provider_session, sealed, authenticated_at, access_ends_at, ends_at)",
    "DELETE",
    "UPDATE (seen_at)",
  ],
  "console.logout_token": ["SELECT", "INSERT (token_hash)", "DELETE"],
  "console.kept_form": ["SELECT", "INSERT (form_hash, person_hash, sealed)", "DELETE"],

  // Records of the migrations: the owner writes them, and a service reads them before it starts.
  ...Object.fromEntries(
    schemaNames.flatMap((schema) => [
      [`${schema}.migration`, schema === "gateway" ? SEE_MIGRATIONS_BY_LISTENER : SEE_MIGRATIONS],
      [`${schema}.migration_lock`, []],
    ]),
  ),
};

/** Tables whose rows are written once and never changed: histories, audit logs, and events for merchants. */
const WRITTEN_ONCE = new Set<string>([
  "gateway.audit_entry",
  "payments.payment_history",
  "payments.audit_entry",
  "refunds.refund_history",
  "refunds.refund_approval",
  "refunds.audit_entry",
  "webhooks.event",
  "webhooks.attempt",
  "webhooks.poison",
  "webhooks.audit_entry",
  "settlement.difference_note",
  "settlement.statement_revision",
  "settlement.audit_entry",
]);

/** Functions run as their owner, so who may call them counts as much as who may write. */
const FUNCTIONS: Record<string, string[]> = {
  "gateway.keep_revocation": ["gateway_owner"],
  "gateway.note_credential_use": ["gateway_merchant", "gateway_owner"],
  "gateway.replace_secret_hash": ["gateway_merchant", "gateway_owner"],
  "payments.payment_amounts_are_explained": ["payments_owner"],
  "payments.purge_checkouts": ["payments_app", "payments_owner"],
  "payments.purge_outbox": ["payments_app", "payments_owner"],
  "payments.purge_sessions": ["payments_app", "payments_owner"],
  "refunds.purge_outbox": ["refunds_app", "refunds_owner"],
  "refunds.refund_is_approved": ["refunds_owner"],
  "settlement.note_changed_account": ["settlement_owner"],
  "settlement.note_day_that_waits": ["settlement_owner"],
  "settlement.note_changed_facts": ["settlement_owner"],
  "settlement.note_changed_lines": ["settlement_owner"],
  "settlement.note_days_of_facts": ["settlement_app", "settlement_owner"],
  "settlement.note_ended_differences": ["settlement_owner"],
  "settlement.note_new_facts": ["settlement_owner"],
  "settlement.purge_outbox": ["settlement_app", "settlement_owner"],
  "webhooks.drop_partitions": ["webhooks_app", "webhooks_owner"],
  "webhooks.make_partitions": ["webhooks_app", "webhooks_owner"],
  "webhooks.purge_hours": ["webhooks_app", "webhooks_owner"],
};

const OWN_SCHEMAS = schemaNames as readonly string[];
/** The roles that a schema's service runs under. */
const SERVICE_ROLES = {
  gateway: ["gateway_merchant", "gateway_operator", "gateway_public", "gateway_staff"],
  payments: ["payments_app"],
  refunds: ["refunds_app"],
  webhooks: ["webhooks_app"],
  settlement: ["settlement_app"],
  console: ["console_app"],
} as const satisfies Record<SchemaName, readonly string[]>;
const ROLES = schemaNames.flatMap((schema) => [...SERVICE_ROLES[schema], `${schema}_owner`]);

/** Each service role with its schema. */
const EACH = schemaNames.flatMap((own) => SERVICE_ROLES[own].map((role) => ({ role, own })));

function rightsOf(role: string, relation: Relation): Rights {
  const rights = TABLES[lineOf(relation)] ?? [];
  return Array.isArray(rights) ? rights : (rights[role] ?? []);
}

let database: TestDatabase;
let superuser: Pool;

beforeAll(async () => {
  database = await createTestDatabase();
  // The test makes some two thousand queries on the catalogue, each of which costs less than a sign-in.
  superuser = new Pool({ connectionString: database.superuserUrl, max: 1 });
});
afterAll(async () => {
  await superuser.end();
  await database.drop();
});

async function asSuperuser<Row>(sql: string, values: unknown[] = []): Promise<Row[]> {
  return (await superuser.query(sql, values)).rows as Row[];
}

/** The SQLSTATE with which each statement ends, by the role that signs in; everything is rolled back. */
async function outcomeOf(role: string, statements: string[]): Promise<Record<string, string>> {
  return await withClient(urlOf(role), async (client) => {
    await client.query("select set_config('test.statements', $1, false)", [JSON.stringify(statements)]);
    await client.query(EXECUTE_EACH);
    const { rows } = await client.query<{ outcomes: Record<string, string> }>(
      "select current_setting('test.outcomes')::jsonb as outcomes",
    );
    return rows[0]!.outcomes;
  });
}

/**
 * Runs the statements one after another in one transaction; our own exception rolls back a statement that is
 * not refused.
 */
const DONE = "DONE0";
const EXECUTE_EACH = `do $$
declare
  statement text;
  outcomes jsonb := '{}';
begin
  for statement in select jsonb_array_elements_text(current_setting('test.statements')::jsonb) loop
    begin
      execute statement;
      raise exception using errcode = '${DONE}';
    exception when others then
      outcomes := outcomes || jsonb_build_object(statement, case sqlstate when '${DONE}' then 'done' else sqlstate end);
    end;
  end loop;
  perform set_config('test.outcomes', outcomes::text, false);
end $$`;

/** Every role of a test's server has its name as its password. */
function urlOf(role: string): string {
  const url = new URL(database.superuserUrl);
  url.username = role;
  url.password = role;
  return url.href;
}

const REFUSED = "42501";

type Relation = { schema: string; name: string; kind: string; owner: string; columns: string[] };

/** Everything outside PostgreSQL's own schemas that holds or shows rows. */
async function relations(): Promise<Relation[]> {
  return await asSuperuser<Relation>(`
    select n.nspname as schema, c.relname as name, c.relkind::text as kind, pg_get_userbyid(c.relowner) as owner,
      array(select attname::text from pg_attribute
            where attrelid = c.oid and attnum > 0 and not attisdropped order by attnum) as columns
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where c.relkind in ('r', 'p', 'v', 'm', 'f', 'S') and n.nspname not in ('pg_catalog', 'information_schema')
      and n.nspname !~ '^pg_'
    order by 1, 2`);
}

/** `SELECT`, or `UPDATE (a, b)` where it is granted for some columns only. */
async function privileges(role: string, { schema, name, columns }: Relation): Promise<string[]> {
  const [row] = await asSuperuser<{ whole: string[]; parts: { privilege: string; columns: string[] }[] }>(
    `select
       array(select p from unnest($3::text[]) p where has_table_privilege($1, $2::regclass, p)) as whole,
       (select json_agg(json_build_object('privilege', p, 'columns', array(
          select c from unnest($4::text[]) c where has_column_privilege($1, $2::regclass, c, p))))
        from unnest($5::text[]) p where not has_table_privilege($1, $2::regclass, p)) as parts`,
    [role, `"${schema}"."${name}"`, TABLE_PRIVILEGES, columns, COLUMN_PRIVILEGES],
  );
  const parts = (row!.parts ?? []).filter((part) => part.columns.length > 0);
  return [...row!.whole, ...parts.map((part) => `${part.privilege} (${part.columns.join(", ")})`)];
}

const COLUMN_PRIVILEGES = ["SELECT", "INSERT", "UPDATE", "REFERENCES"];
const TABLE_PRIVILEGES = [...COLUMN_PRIVILEGES, "DELETE", "TRUNCATE", "TRIGGER", "MAINTAIN"];

const lineOf = ({ schema, name }: Pick<Relation, "schema" | "name">) =>
  `${schema}.${name.replace(/_\d{8}$/, "_DAY")}` as keyof typeof TABLES;

test("every table has its line, and every line its table", async () => {
  const found = new Set((await relations()).map(lineOf));
  expect([...found].toSorted()).toEqual(Object.keys(TABLES).toSorted());
});

describe.each(EACH)("$role", ({ role, own }) => {
  test("may do with its own tables what the table above says, with the others' nothing", async () => {
    const actual: Record<string, string[]> = {};
    const expected: Record<string, string[]> = {};
    for (const relation of await relations()) {
      const key = `${relation.schema}.${relation.name}`;
      actual[key] = (await privileges(role, relation)).toSorted();
      expected[key] = relation.schema === own ? inOrder(rightsOf(role, relation), relation).toSorted() : [];
    }
    expect(actual).toEqual(expected);
  });

  test("is refused each statement on each table of another schema", async () => {
    const foreign = (await relations()).filter(({ schema }) => schema !== own);
    const statements = foreign.flatMap(({ schema, name, columns: [column] }) => [
      `select count(*) from ${schema}.${name}`,
      `insert into ${schema}.${name} default values`,
      `update ${schema}.${name} set ${column} = ${column}`,
      `delete from ${schema}.${name}`,
      `truncate ${schema}.${name}`,
    ]);
    const outcomes = await outcomeOf(role, statements);
    expect(Object.entries(outcomes).filter(([, outcome]) => outcome !== REFUSED)).toEqual([]);
    expect(statements.length).toBeGreaterThan(100);
  });

  test("is refused to rewrite or remove what happened", async () => {
    const statements = (await relations())
      .filter((relation) => relation.schema === own && WRITTEN_ONCE.has(lineOf(relation)))
      .flatMap(({ schema, name, columns }) => [
        ...columns.map((column) => `update ${schema}.${name} set ${column} = ${column}`),
        `delete from ${schema}.${name}`,
        `truncate ${schema}.${name}`,
        `drop table ${schema}.${name}`,
        `alter table ${schema}.${name} disable trigger all`,
      ]);
    const outcomes = await outcomeOf(role, statements);
    expect(Object.entries(outcomes).filter(([, outcome]) => outcome !== REFUSED)).toEqual([]);
    // The console writes nothing down for good.
    expect(statements.length).toBeGreaterThan(own === "console" ? -1 : 5);
  });

  test("cannot alter or drop any table", async () => {
    const statements = (await relations())
      .filter(({ schema, kind }) => schema === own && (kind === "r" || kind === "p"))
      .flatMap(({ schema, name }) => [
        `alter table ${schema}.${name} add column mine int`,
        `drop table ${schema}.${name}`,
      ]);
    const outcomes = await outcomeOf(role, statements);
    expect(Object.entries(outcomes).filter(([, outcome]) => outcome !== REFUSED)).toEqual([]);
    expect(statements.length).toBeGreaterThan(4);
  });

  test.each([
    "create table ${own}.mine (id int)",
    "create table public.mine (id int)",
    "create temporary table mine (id int)",
    "create schema mine",
    "create role mine",
    "set role ${own}_owner",
    "set session_replication_role = replica",
    "copy (select 1) to program 'true'",
    "select pg_read_file('/etc/hostname')",
  ])("is refused: %s", async (template) => {
    const statement = template.replace("${own}", own);
    expect(await outcomeOf(role, [statement])).toEqual({ [statement]: REFUSED });
  });
});

/** Rewriting the webhook's bytes after they were committed would be a lie to the merchant. */
test.each(["payments", "refunds", "settlement"] as const)(
  "of %s' outbox only the delivery state changes",
  async (own) => {
    const outbox = (await relations()).find(({ schema, name }) => schema === own && name === "outbox");
    const statements = outbox!.columns.map((column) => `update outbox set ${column} = default`);
    const outcomes = await outcomeOf(`${own}_app`, [...statements, "delete from outbox", "truncate outbox"]);
    const allowed = Object.entries(outcomes).filter(([, outcome]) => outcome !== REFUSED);
    expect(allowed.map(([statement]) => statement.split(" ")[3]).toSorted()).toEqual([
      "confirmed_at",
      "publish_at",
      "publish_attempts",
    ]);
  },
);

/** Columns in the order of the table, as they are read from the catalogue. */
function inOrder(listed: string[], { columns }: Relation): string[] {
  return listed.map((privilege) => {
    const [, name, list] = /^(\w+) \((.*)\)$/.exec(privilege) ?? [];
    if (list === undefined) return privilege;
    const named = list.split(", ");
    expect(columns).toEqual(expect.arrayContaining(named));
    return `${name} (${columns.filter((column) => named.includes(column)).join(", ")})`;
  });
}

describe("an owner", () => {
  test("owns everything in its schema, and is not the role that the service runs under", async () => {
    for (const { schema, owner } of await relations()) expect(owner).toBe(`${schema}_owner`);
    for (const schema of schemaNames) {
      const users = Object.values(database.urls[schema]).map((url) => new URL(url).username);
      expect(users.toSorted()).toEqual([...SERVICE_ROLES[schema], `${schema}_owner`].toSorted());
    }
    const members = await asSuperuser(
      "select pg_get_userbyid(member) from pg_auth_members where pg_get_userbyid(member) = any($1)",
      [ROLES],
    );
    expect(members).toEqual([]);
  });

  test("may do nothing with another one's tables", async () => {
    for (const relation of await relations()) {
      for (const schema of schemaNames.filter((name) => name !== relation.schema)) {
        expect([relation.name, await privileges(`${schema}_owner`, relation)]).toEqual([relation.name, []]);
      }
    }
  });
});

test("nobody is a superuser, or may make databases or roles, replicate, or pass row security by", async () => {
  const roles = await asSuperuser<Record<string, unknown>>(
    `select rolname, rolsuper, rolcreatedb, rolcreaterole, rolreplication, rolbypassrls from pg_roles
     where rolname !~ '^pg_' and rolname <> current_user order by rolname`,
  );
  const seconds = appRoleNames.map(secondLoginOf);
  expect(roles.map(({ rolname }) => rolname)).toEqual([...ROLES, ...seconds, AUDITOR].toSorted());
  for (const { rolname, ...attributes } of roles) {
    expect([rolname, Object.values(attributes)]).toEqual([rolname, [false, false, false, false, false]]);
  }
});

test("a second login is a member of its role, and nobody is a member of anything else", async () => {
  const members = await asSuperuser<{ member: string; role: string; admin_option: boolean }>(
    `select member::regrole::text as member, roleid::regrole::text as role, admin_option
     from pg_auth_members where roleid::regrole::text !~ '^pg_' order by 1`,
  );
  expect(members).toEqual(
    appRoleNames
      .map((role) => ({ member: secondLoginOf(role), role, admin_option: false }))
      .toSorted((one, other) => one.member.localeCompare(other.member)),
  );
  const granted = await asSuperuser<{ relation: string }>(
    `select c.oid::regclass::text as relation from pg_class c, aclexplode(c.relacl) a
     where a.grantee::regrole::text like '%\\_2'`,
  );
  expect(granted).toEqual([]);
});

test("a role uses its own schema, only an owner adds to it, and nobody uses public", async () => {
  const rows = await asSuperuser<{ role: string; schema: string; usage: boolean; create: boolean }>(
    `select r as role, n.nspname as schema, has_schema_privilege(r, n.oid, 'USAGE') as usage,
       has_schema_privilege(r, n.oid, 'CREATE') as create
     from unnest($1::text[]) r, pg_namespace n
     where n.nspname <> 'information_schema' and n.nspname !~ '^pg_'`,
    [ROLES],
  );
  expect(new Set(rows.map(({ schema }) => schema))).toEqual(new Set([...OWN_SCHEMAS, "public"]));
  for (const { role, schema, usage, create } of rows) {
    expect({ role, schema, usage, create }).toEqual({
      role,
      schema,
      usage: role.startsWith(`${schema}_`),
      create: role === `${schema}_owner`,
    });
  }
});

test("a role may connect to the database, and neither add schemas nor temporary tables", async () => {
  for (const role of ROLES) {
    const [row] = await asSuperuser(
      `select has_database_privilege($1, $2, 'CONNECT') as connect, has_database_privilege($1, $2, 'CREATE') as create,
         has_database_privilege($1, $2, 'TEMPORARY') as temporary`,
      [role, database.name],
    );
    expect([role, row]).toEqual([role, { connect: true, create: false, temporary: false }]);
  }
});

test("a role keeps nothing outside of its tables: no large objects, and no messages in the WAL", async () => {
  const rows = await asSuperuser<{ role: string; name: string }>(
    `select role, p.oid::regprocedure::text as name from pg_proc p, unnest($1::text[]) role
     where pronamespace = 'pg_catalog'::regnamespace and has_function_privilege(role, p.oid, 'EXECUTE')
       and (proname ~ '^(lo_|lo(read|write)$)' or proname = 'pg_logical_emit_message')`,
    [ROLES],
  );
  expect(rows).toEqual([]);
  for (const role of ["payments_app", "payments_owner"]) {
    const attempts = [
      "select lo_create(0)",
      "select lo_from_bytea(0, 'a card')",
      "select pg_logical_emit_message(false, 'a', 'card')",
    ];
    const denied = Object.fromEntries(attempts.map((attempt) => [attempt, "42501"]));
    expect(await outcomeOf(role, attempts)).toEqual(denied);
  }
});

test("functions are called by whom they are for", async () => {
  const rows = await asSuperuser<{ name: string; roles: string[] }>(
    `select n.nspname || '.' || p.proname as name,
       array(select r from unnest($1::text[]) r where has_function_privilege(r, p.oid, 'EXECUTE') order by r) as roles
     from pg_proc p join pg_namespace n on n.oid = p.pronamespace
     where n.nspname = any($2) or n.nspname = 'public' order by 1`,
    [ROLES, OWN_SCHEMAS],
  );
  expect(Object.fromEntries(rows.map(({ name, roles }) => [name, roles]))).toEqual(FUNCTIONS);
});

const OUTBOX_FROM_ITS_START = "'00000000-0000-0000-0000-000000000000'";

test.each([
  ["webhooks_app", "drop what is younger than 3 days", "select drop_partitions(2, 3)"],
  ["webhooks_app", "drop attempts that are younger than 3 days", "select drop_partitions(3, 2)"],
  ["webhooks_app", "purge hours that are younger than 3 days", "select purge_hours(2)"],
  ["webhooks_app", "drop what lies ahead", "select drop_partitions(-100000, 3)"],
  ["webhooks_app", "make partitions without end", "select make_partitions(100000)"],
  ["payments_app", "delete young events", `select purge_outbox('2 days', ${OUTBOX_FROM_ITS_START}, 1)`],
  ["payments_app", "delete without end", `select purge_outbox('3 days', ${OUTBOX_FROM_ITS_START}, 10001)`],
  ["refunds_app", "delete young events", `select purge_outbox('2 days', ${OUTBOX_FROM_ITS_START}, 1)`],
  ["settlement_app", "delete young events", `select purge_outbox('2 days', ${OUTBOX_FROM_ITS_START}, 1)`],
  ["payments_app", "delete young sessions", "select purge_sessions('23 hours', true, 1)"],
  ["payments_app", "delete sessions without end", "select purge_sessions('1 day', false, 10001)"],
  ["payments_app", "delete young checkouts", "select purge_checkouts('23 hours', 1)"],
])("a function that runs as the owner does not let %s %s", async (role, _, statement) => {
  const outcomes = await outcomeOf(role, [statement]);
  expect(outcomes).toEqual({ [statement]: INVALID_PARAMETER });
});

const INVALID_PARAMETER = "22023";

describe("a revocation is final", () => {
  const credential = (revokedAt: string) => `
    with new as (insert into gateway.merchant (name) values ('A shop') returning merchant_id)
    insert into gateway.credential (api_key, merchant_id, secret_hash, pepper_id, issued_by, revoked_at)
    select 'hf_live_' || gen_random_uuid(), merchant_id, decode(repeat('00', 32), 'hex'), 'p1', 'olga', ${revokedAt} from new
    returning api_key`;
  const given = async (revokedAt: string) =>
    (await asSuperuser<{ api_key: string }>(credential(revokedAt)))[0]!.api_key;

  test.each(["gateway_operator", "gateway_owner"])(
    "for %s, who may write it: nobody takes it back or changes its time",
    async (role) => {
      const [revoked, live] = [await given("now() - interval '1 day'"), await given("null")];
      const setting = (apiKey: string, to: string) =>
        `update gateway.credential set revoked_at = ${to} where api_key = '${apiKey}'`;
      expect(
        await outcomeOf(role, [
          setting(revoked, "null"),
          setting(revoked, "now()"),
          setting(revoked, "revoked_at - interval '1 day'"),
          setting(revoked, "coalesce(revoked_at, now())"),
          setting(live, "now()"),
        ]),
      ).toEqual({
        [setting(revoked, "null")]: INTEGRITY_CONSTRAINT,
        [setting(revoked, "now()")]: INTEGRITY_CONSTRAINT,
        [setting(revoked, "revoked_at - interval '1 day'")]: INTEGRITY_CONSTRAINT,
        [setting(revoked, "coalesce(revoked_at, now())")]: "done",
        [setting(live, "now()")]: "done",
      });
    },
  );
});

const INTEGRITY_CONSTRAINT = "23000";

test("the pages for browsers read no credential, the merchant API writes nothing, and only operators' listener the audit log", async () => {
  const reads = ["select api_key from gateway.credential", "select secret_hash from gateway.credential"];
  const writes = [
    "update gateway.merchant set rules = null",
    "update gateway.merchant set status = 'ACTIVE'",
    "update gateway.credential set revoked_at = now()",
    "insert into gateway.credential (api_key) values ('x')",
    "insert into gateway.audit_entry select * from gateway.audit_entry",
    "select from gateway.audit_entry",
  ];
  const refusedTo = async (role: string, statements: string[]) =>
    expect(new Set(Object.values(await outcomeOf(role, statements)))).toEqual(new Set([REFUSED]));
  await refusedTo("gateway_public", [...reads, ...writes, "select created_at from gateway.merchant"]);
  await refusedTo("gateway_merchant", writes);
});
