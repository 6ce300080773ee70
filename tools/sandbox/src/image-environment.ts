/**
 * What the Dockerfile gives a process that is no setting of its program: few arenas of malloc. A process that is started here has the memory that it would have in its image.
 */
export const IMAGE_ENVIRONMENT = {
  MALLOC_ARENA_MAX: "2",
};
