/**
 * The Dockerfile's environment that is no setting of a program: few arenas of malloc. A process that is started here
 * has the same memory as in its image.
 */
export const IMAGE_ENVIRONMENT = {
  MALLOC_ARENA_MAX: "2",
};
