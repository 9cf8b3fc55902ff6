/** Whether a media type means JSON: `application/json`, `text/json` or `…+json`, whatever its parameters say. */
export function isJsonMedia(mediaType: string): boolean {
  const essence = (mediaType.split(';')[0] as string).trim().toLowerCase()
  return essence === 'application/json' || essence === 'text/json' || /^[^\s/]+\/[^\s/]+\+json$/.test(essence)
}
