import { rmSync, writeFileSync, readFileSync } from "node:fs";
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { BUS_USERS, busLoginsOf } from "@holdfast/contracts";
import type { BusOptions } from "@holdfast/messaging";
import { natsUsersConfig } from "@holdfast/messaging";
import { localCertificates } from "@holdfast/sandbox/infrastructure";

/**
 * The bus and the listeners as in production: an identity for each process, with two logins, and TLS. Passwords and
 * certificates can be replaced; nats-server needs a signal, the gateways look themselves.
 */
export type Wires = {
  /** nats-server's configuration. */
  configFile: string;
  /** The authority of all certificates, as PEM. */
  ca: string;
  /** By which a service signs in to the bus. */
  busEnv(login: string): Record<string, string>;
  /** The options for a client in this process. */
  busOptions(login: string): Omit<BusOptions, "url" | "name">;
  /** Settings of a gateway's listeners. */
  listenerEnv: Record<string, string>;
  /** Gives some logins of the bus another password, in the file only. */
  replaceBusPasswords(logins: readonly string[]): void;
  /** Signs another certificate for the bus and the listeners. */
  renewCertificate(): Promise<void>;
};

export async function createWires(dir: string): Promise<Wires> {
  const configFile = join(dir, "nats-server.conf");
  const certificates = await localCertificates(join(dir, "wires"));
  const { caFile, certFile, keyFile } = certificates;
  const passwords = new Map(BUS_USERS.flatMap(busLoginsOf).map((login) => [login, newPassword()]));
  const write = () => {
    const users = natsUsersConfig({ password: (login) => passwords.get(login), observed: false });
    writeFileSync(configFile, `tls { cert_file: "${certFile}", key_file: "${keyFile}" }\n${users}`);
  };
  write();
  return {
    configFile,
    ca: readFileSync(caFile, "utf8"),
    busEnv: (login) => ({ NATS_USER: login, NATS_PASSWORD: passwords.get(login)!, NATS_CA_FILE: caFile }),
    busOptions: (login) => ({ user: login, password: passwords.get(login), caFile }),
    listenerEnv: { TLS_CERT_FILE: certFile, TLS_KEY_FILE: keyFile },
    replaceBusPasswords(logins) {
      for (const login of logins) passwords.set(login, newPassword());
      write();
    },
    async renewCertificate() {
      rmSync(certFile);
      await localCertificates(join(dir, "wires"));
    },
  };
}

/** A letter first: nats-server reads digits alone as a number. */
function newPassword(): string {
  return `p${randomBytes(12).toString("hex")}`;
}
