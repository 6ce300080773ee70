// The three nats-servers of deploy/k8s as three processes of this machine: the very configuration that the pods get,
// with paths, ports and names of this machine in the place of theirs.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { BUS_USERS, busLoginsOf, type BusUser } from "@holdfast/contracts";
import {
  findNatsServer,
  freePort,
  spawnLogged,
  withParentDeathSignal,
  type LoggedChild,
} from "@holdfast/sandbox/infrastructure";
import {
  issueAuthority,
  issueClient,
  issueForLocalhost,
  issuePeer,
  type CertificatePair,
} from "@holdfast/sandbox/infrastructure/issue-certificate";
import { passwordVariable } from "@holdfast/messaging";
import { deployDir } from "./build-overlay.ts";

export type NatsCluster = {
  /** Environment of a service that signs in as this user: NATS_URL and so on. */
  environment(user: BusUser): Record<string, string>;
  /** Kills a server. Servers are numbered from 0, like pods. */
  kill(server: number): Promise<void>;
  /** Starts a server again with its data, or `withoutData`, like a pod whose volume was lost. */
  restart(server: number, options?: { withoutData: boolean }): Promise<void>;
  stop(): Promise<void>;
};

/** @param dir a directory of the cluster's own. */
export async function startNatsCluster(dir: string): Promise<NatsCluster> {
  const program = await findNatsServer();
  const ports = await Promise.all(
    SERVERS.map(async () => ({
      client: await freePort(),
      cluster: await freePort(),
      health: await freePort(),
    })),
  );
  await writeCertificates(dir);
  const passwords = new Map(
    BUS_USERS.flatMap(busLoginsOf).map((login) => [login, `p${crypto.randomUUID()}`]),
  );
  const storeOf = (server: number) => join(dir, `nats-${server}`, "data");
  const start = async (server: number): Promise<LoggedChild> => {
    const home = join(dir, `nats-${server}`);
    mkdirSync(storeOf(server), { recursive: true });
    writeFileSync(join(home, "users.conf"), readFileSync(join(deployDir, "nats", "users.conf")));
    writeFileSync(join(home, "nats.conf"), configOf(server, dir, ports));
    return await spawnLogged({
      name: `nats-${server}`,
      command: withParentDeathSignal("TERM", [program, "--config", join(home, "nats.conf")]),
      env: {
        PATH: process.env.PATH,
        POD_NAME: `nats-${server}`,
        ...Object.fromEntries(
          [...passwords].map(([login, password]) => [passwordVariable(login).slice(1), password]),
        ),
      },
      logFile: join(home, "log"),
    });
  };
  const servers = await Promise.all(SERVERS.map(start));
  return {
    environment: (user) => ({
      NATS_URL: ports.map(({ client }) => `tls://localhost:${client}`).join(","),
      NATS_USER: user,
      NATS_PASSWORD: passwords.get(user)!,
      NATS_CA_FILE: join(dir, "bus", "ca.crt"),
      NATS_CERT_FILE: join(dir, user, "tls.crt"),
      NATS_KEY_FILE: join(dir, user, "tls.key"),
    }),
    async kill(server) {
      servers[server]!.kill("SIGKILL");
      await servers[server]!.exited;
    },
    async restart(server, { withoutData } = { withoutData: false }) {
      if (withoutData) rmSync(storeOf(server), { recursive: true });
      servers[server] = await start(server);
    },
    async stop() {
      await Promise.all(servers.map((server) => server.stop({ signals: ["SIGKILL"] })));
    },
  };
}

const SERVERS = [0, 1, 2];

type Ports = { client: number; cluster: number; health: number }[];

function configOf(server: number, dir: string, ports: Ports): string {
  const own = ports[server]!;
  const replacements: [string, string][] = [
    ["port: 4222", `port: ${own.client}`],
    ["0.0.0.0:8222", `127.0.0.1:${own.health}`],
    ["port: 6222", `port: ${own.cluster}`],
    ["/etc/nats/tls/", `${join(dir, "bus")}/`],
    ["/etc/nats/routes-tls/", `${join(dir, "routes")}/`],
    ["/var/run/nats/", `${join(dir, `nats-${server}`)}/`],
    ['store_dir: "/data"', `store_dir: "${join(dir, `nats-${server}`, "data")}"`],
    ...ports.map(({ cluster }, index): [string, string] => [
      `nats-${index}.nats-cluster:6222`,
      `localhost:${cluster}`,
    ]),
  ];
  let config = readFileSync(join(deployDir, "nats", "cluster.conf"), "utf8");
  for (const [from, to] of replacements) {
    if (!config.includes(from)) throw new Error(`cluster.conf has no ${from}`);
    config = config.replaceAll(from, to);
  }
  return config;
}

/**
 * Writes certificates as cert-manager does in the cluster: one authority for the bus, another for the routes.
 */
async function writeCertificates(dir: string): Promise<void> {
  const [bus, routes] = await Promise.all([issueAuthority(), issueAuthority()]);
  write(join(dir, "bus"), await issueForLocalhost(bus), bus);
  write(join(dir, "routes"), await issuePeer(routes), routes);
  for (const user of BUS_USERS) write(join(dir, user), await issueClient(bus, user), bus);
}

function write(dir: string, pair: CertificatePair, authority: CertificatePair): void {
  mkdirSync(dir, { recursive: true });
  writeFileSync(join(dir, "tls.crt"), pair.certificate);
  writeFileSync(join(dir, "tls.key"), pair.key);
  writeFileSync(join(dir, "ca.crt"), authority.certificate);
}
