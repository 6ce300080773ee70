import { ENDPOINTS, mayAct, OPERATOR_ROLES, STAFF_ROLES, staffMayAct } from "@holdfast/contracts";
import { busPermissions, type Permissions } from "@holdfast/messaging";
import { sql, type Kysely } from "kysely";

/** Accounts and rights in the database, and the merchants' credentials. No secret is among them. */
export type Access = {
  databaseRoles: DatabaseRole[];
  /** The subjects of each login of the bus, as this version writes them into the server's configuration. */
  busUsers: Record<string, Permissions>;
  /** The operations of each role of people, which the identity provider gives them. */
  operatorRoles: Record<string, string[]>;
  staffRoles: Record<string, string[]>;
  credentials: {
    live: number;
    /** Valid credentials of test mode, and valid credentials that nobody has used for 90 days. */
    test: number;
    unused: number;
    revoked: number;
    oldest: string | null;
    byPepper: KeyAge[];
    /** The valid credentials, oldest first, and no more than a reader looks at. */
    list: Credential[];
  };
  fingerprintKeys: KeyAge[];
  refusedOperators: number;
};

/** Dates are days. */
export type Credential = {
  merchantId: string;
  mode: "live" | "test";
  made: string;
  ends: string | null;
  lastUsed: string | null;
  addresses: string[] | null;
};

type DatabaseRole = {
  role: string;
  canLogIn: boolean;
  isSuperuser: boolean;
  /** The form in which the server stores the password, or `none`; null if only a superuser could read it. */
  password: "SCRAM-SHA-256" | "MD5" | "none" | null;
  memberOf: string[];
  /** `SELECT, INSERT on payments.payment`, with the columns where a right is for some only. */
  rights: string[];
};

/** A key by its id, with the first and the last time at which something was made under it. */
export type KeyAge = { id: string; since: string; until: string; rows?: number };

export async function readAccess(db: Kysely<unknown>, schemas: readonly string[]): Promise<Access> {
  const { rows: databaseRoles } = await sql<Omit<DatabaseRole, "password">>`
    with relation as (
      select c.oid, format('%I.%I', n.nspname, c.relname) as name, c.relacl from pg_class c
      join pg_namespace n on n.oid = c.relnamespace
      where n.nspname = any(${[...schemas]}) and c.relkind in ('r', 'p', 'v', 'm')
    ), granted as (
      select acl.grantee, acl.privilege_type, name from relation, aclexplode(relacl) acl
      union all
      select acl.grantee, acl.privilege_type || ' (' || a.attname || ')', name
      from relation join pg_attribute a on a.attrelid = relation.oid, aclexplode(a.attacl) acl
    ), rights as (
      select grantee, string_agg(privilege_type, ', ' order by privilege_type) || ' on ' || name as text
      from granted group by grantee, name
    )
    select r.rolname as role, r.rolcanlogin as "canLogIn", r.rolsuper as "isSuperuser",
      array(select g.rolname::text from pg_auth_members m join pg_roles g on g.oid = m.roleid
        where m.member = r.oid order by 1) as "memberOf",
      array(select text from rights where grantee = r.oid order by 1) as rights
    from pg_roles r where r.rolname !~ '^pg_' order by 1`.execute(db);
  const passwords = await passwordForms(db);
  const { rows: credentials } = await sql<Omit<Access["credentials"], "byPepper" | "list">>`
    select (count(*) filter (where revoked_at is null))::int as live,
      (count(*) filter (where revoked_at is null and starts_with(api_key, 'hk_test_')))::int as test,
      (count(*) filter (where revoked_at is null and coalesce(last_used_on, created_at::date) < current_date - 90))::int as unused,
      (count(*) filter (where revoked_at is not null))::int as revoked,
      to_char(min(created_at) filter (where revoked_at is null), 'YYYY-MM-DD') as oldest from gateway.credential`.execute(
    db,
  );
  const { rows: byPepper } = await sql<KeyAge>`
    select pepper_id as id, to_char(min(created_at), 'YYYY-MM-DD') as since,
      to_char(max(created_at), 'YYYY-MM-DD') as until, count(*)::int as rows
    from gateway.credential where revoked_at is null group by 1 order by 1`.execute(db);
  const { rows: list } = await sql<Credential>`
    select merchant_id as "merchantId", case when starts_with(api_key, 'hk_test_') then 'test' else 'live' end as mode,
      to_char(created_at, 'YYYY-MM-DD') as made, to_char(expires_at, 'YYYY-MM-DD') as ends,
      to_char(last_used_on, 'YYYY-MM-DD') as "lastUsed", addresses
    from gateway.credential where revoked_at is null order by created_at limit ${LISTED_MAX}`.execute(db);
  const { rows: fingerprintKeys } = await sql<KeyAge>`
    select key_id as id, to_char(first_used_at, 'YYYY-MM-DD') as since, to_char(last_used_at, 'YYYY-MM-DD') as until
    from payments.pan_fingerprint_key order by 1`.execute(db);
  const { rows: refused } = await sql<{ count: number }>`
    select count(*)::int as count from gateway.refused_operator`.execute(db);
  return {
    databaseRoles: databaseRoles.map((one) => ({ ...one, password: passwords?.get(one.role) ?? null })),
    busUsers: Object.fromEntries(busPermissions({ observed: false })),
    ...rolesOfPeople(),
    credentials: { ...credentials[0]!, byPepper, list },
    fingerprintKeys,
    refusedOperators: refused[0]!.count,
  };
}

const LISTED_MAX = 1_000;

/** @returns undefined if this role may not read them. PostgreSQL has no date of a password. */
async function passwordForms(
  db: Kysely<unknown>,
): Promise<Map<string, NonNullable<DatabaseRole["password"]>> | undefined> {
  const { rows: may } = await sql<{ may: boolean }>`
    select has_table_privilege('pg_authid', 'select') as may`.execute(db);
  if (!may[0]!.may) return undefined;
  const { rows } = await sql<{ role: string; form: NonNullable<DatabaseRole["password"]> }>`
    select rolname as role, case when rolpassword is null then 'none' when starts_with(rolpassword, 'SCRAM-SHA-256')
      then 'SCRAM-SHA-256' else 'MD5' end as form from pg_authid`.execute(db);
  return new Map(rows.map(({ role, form }) => [role, form]));
}

function rolesOfPeople(): Pick<Access, "operatorRoles" | "staffRoles"> {
  const operations = (may: (endpoint: (typeof ENDPOINTS)[number]) => boolean) =>
    ENDPOINTS.filter(may).map(({ operationId }) => operationId);
  return {
    operatorRoles: Object.fromEntries(
      OPERATOR_ROLES.map((role) => [
        role,
        operations((each) => each.listener === "operator" && mayAct(new Set([role]), each.role)),
      ]),
    ),
    staffRoles: Object.fromEntries(
      STAFF_ROLES.map((role) => [
        role,
        operations((each) => each.listener === "staff" && staffMayAct(new Set([role]), each.role)),
      ]),
    ),
  };
}
