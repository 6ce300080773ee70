import { randomBytes } from "node:crypto";
import type { Bundle } from "@holdfast/bundle";
import {
  programOf,
  provisionDatabase,
  roleNames,
  runLogged,
  schemaByService,
  type RolePasswords,
  type SchemaUrls,
  type ServiceName,
} from "@holdfast/sandbox/infrastructure";

/** The product's database with every schema, as installation and migrations make it. @param log a program's file. */
export async function migratedDatabase(
  superuserUrl: string,
  { holdfast }: Bundle,
  log: (name: string) => string,
): Promise<SchemaUrls> {
  const passwords = Object.fromEntries(roleNames.map((role) => [role, newPassword()])) as RolePasswords;
  const urls = await provisionDatabase({ superuserUrl, database: DATABASE, passwords });
  await Promise.all(
    (Object.keys(schemaByService) as ServiceName[]).map((service) =>
      runLogged({
        name: `${service}-migration`,
        command: [process.execPath, holdfast, "migrate", programOf(service)],
        env: {
          ...process.env,
          MIGRATION_DATABASE_URL: urls[schemaByService[service]].owner,
        },
        logFile: log(`${service}-migration`),
        timeoutMs: 60_000,
      }),
    ),
  );
  return urls;
}

export const DATABASE = "holdfast";

function newPassword(): string {
  return randomBytes(18).toString("base64url");
}
