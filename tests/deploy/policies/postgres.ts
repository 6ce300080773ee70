import { ofKind, type Manifest } from "../manifest.ts";
import { faultsOf } from "./pods.ts";

/**
 * An answer to a merchant outlives the loss of a machine, and a copy that is gone never stops the primary. The log of
 * PostgreSQL has no values of statements, which no log may have.
 */
export function postgresLosesNothing(manifests: Manifest[]): string[] {
  return ofKind(manifests, "Cluster").flatMap(({ metadata, spec }) => {
    const { instances, affinity, postgresql, walStorage } = spec as PostgresSpec;
    const { synchronous, parameters = {} } = postgresql;
    const kept = gibibytes(parameters["max_slot_wal_keep_size"]);
    return faultsOf(`Cluster ${metadata.name}`, [
      [instances < 3, "has no standby left while one is replaced"],
      [
        !affinity?.enablePodAntiAffinity || affinity.podAntiAffinityType !== "required",
        "may have its copies on one node",
      ],
      [!((synchronous?.number ?? 0) >= 1), "acknowledges a commit that no standby has"],
      [synchronous?.dataDurability !== "required", "acknowledges such a commit while no standby is there"],
      [synchronous?.failoverQuorum !== true, "may promote a standby that lacks the last commits"],
      [
        !(kept < gibibytes(walStorage?.size)),
        "keeps WAL for a standby that is gone until its own volume is full",
      ],
      ...["log_parameter_max_length", "log_parameter_max_length_on_error"].map((name): [boolean, string] => [
        parameters[name] !== "0",
        `writes values of statements into its log (${name})`,
      ]),
    ]);
  });
}

type PostgresSpec = {
  instances: number;
  affinity?: { enablePodAntiAffinity?: boolean; podAntiAffinityType?: string };
  postgresql: {
    synchronous?: { number?: number; dataDurability?: string; failoverQuorum?: boolean };
    parameters?: Record<string, string>;
  };
  walStorage?: { size: string };
};

/** Reads `12GB` of PostgreSQL and `20Gi` of Kubernetes. A missing size is NaN, which compares with nothing. */
function gibibytes(size: string | undefined): number {
  return Number(/^(\d+)G[Bi]$/.exec(size ?? "")?.[1]);
}
