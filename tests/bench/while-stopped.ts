/** Runs `work` while processes stand still: they read nothing, send nothing, and keep their leases and connections. */
export async function whileStopped<Result>(
  pids: readonly number[],
  work: () => Promise<Result>,
): Promise<Result> {
  for (const pid of pids) process.kill(pid, "SIGSTOP");
  try {
    return await work();
  } finally {
    for (const pid of pids) process.kill(pid, "SIGCONT");
  }
}
