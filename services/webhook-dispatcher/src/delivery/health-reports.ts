/** This process's observations of an endpoint since its last report, with times of the database's clock. */
export type HealthReport = {
  lastSuccessAt?: Date;
  lastFailureAt?: Date;
  /** The first failure after the last success that this process has seen. */
  failingSince?: Date | undefined;
  breakerOpen: boolean;
};

/** A report of one result. */
export function reportOf(succeeded: boolean, at: Date, breakerOpen: boolean): HealthReport {
  return succeeded
    ? { lastSuccessAt: at, breakerOpen }
    : { lastFailureAt: at, failingSince: at, breakerOpen };
}

/** Combines two reports about one endpoint. */
export function combineReports(older: HealthReport, newer: HealthReport): HealthReport {
  const failingSince = newer.lastSuccessAt ? newer.failingSince : (older.failingSince ?? newer.failingSince);
  return { ...older, ...newer, failingSince };
}

/**
 * Collects results by endpoint and writes them every few seconds: all attempts would wait for a row that
 * changes with each of them. If the process is killed, unwritten health is lost, but the attempts are
 * recorded.
 */
export class HealthReports {
  readonly #keep: (reports: ReadonlyMap<string, HealthReport>) => Promise<void>;
  #reports = new Map<string, HealthReport>();

  constructor(keep: (reports: ReadonlyMap<string, HealthReport>) => Promise<void>) {
    this.#keep = keep;
  }

  note(endpointId: string, report: HealthReport): void {
    const known = this.#reports.get(endpointId);
    this.#reports.set(endpointId, known ? combineReports(known, report) : report);
  }

  async flush(): Promise<void> {
    const reports = this.#reports;
    if (reports.size === 0) return;
    this.#reports = new Map();
    try {
      await this.#keep(reports);
    } catch (error) {
      // These reports are written together with the next ones.
      for (const [endpointId, report] of reports) {
        const newer = this.#reports.get(endpointId);
        this.#reports.set(endpointId, newer ? combineReports(report, newer) : report);
      }
      throw error;
    }
  }
}
