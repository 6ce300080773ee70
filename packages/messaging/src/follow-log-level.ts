import { hostname } from "node:os";
import { logLevelAsked, logLevelChanged, logLevelReported, type LoggingService } from "@holdfast/contracts";
import type { Logger } from "@holdfast/service-runtime";
import type { z } from "zod";
import type { Bus } from "./connect.ts";
import { onNotice, publishNotice } from "./notices.ts";

/**
 * Follows the log levels that the operator API publishes, and answers with this replica's. A change ends by this
 * process's own timer, so that no failure meanwhile makes it last. It takes an hour at most, by the notice's schema,
 * and never logs less than the level that `log` has now (docs/adr/0051).
 */
export function followLogLevel(bus: Bus, service: LoggingService, log: Logger): void {
  const configured = log.level;
  const isMore = (level: string, than: string) => log.levels.values[level]! < log.levels.values[than]!;
  let change: { endsAt: number; timer: NodeJS.Timeout } | undefined;

  const setLevel = (level: string) => {
    if (log.level === level) return;
    // The line is written at the more talkative of both levels, so that it is seen.
    const isRaised = isMore(level, log.level);
    const say = () => log.info({ operation: "log level", logLevel: level }, "log level changed");
    if (!isRaised) say();
    log.level = level;
    if (isRaised) say();
  };
  const goBack = () => {
    clearTimeout(change?.timer);
    change = undefined;
    setLevel(configured);
  };

  onNotice(bus, logLevelChanged, (notice) => {
    if (notice.service !== service) return;
    if (notice.level === null || !isMore(notice.level, configured)) return goBack();
    clearTimeout(change?.timer);
    const timer = setTimeout(goBack, notice.endsInMs).unref();
    change = { endsAt: performance.now() + notice.endsInMs, timer };
    setLevel(notice.level);
  });
  onNotice(bus, logLevelAsked, ({ questionId }) => {
    const endsInMs = change && Math.max(1, Math.round(change.endsAt - performance.now()));
    const level = log.level as Reported["level"];
    publishNotice(bus, logLevelReported, { questionId, service, instance: INSTANCE, level, endsInMs });
  });
}

type Reported = z.infer<(typeof logLevelReported)["payload"]>;

const INSTANCE = `${hostname()}:${process.pid}`;
