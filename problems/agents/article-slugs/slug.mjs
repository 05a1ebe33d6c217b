// Makes the part of an address that tells of a title.
export function slug(title) {
  return title.toLowerCase().replace(/[^a-z0-9]/g, "-");
}
