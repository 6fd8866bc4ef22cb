/** hiding are widths below which a column is left out, where rows are not cards. */
export const hiding = { 40: '@min-[481px]:@max-[40rem]:hidden', 52: '@min-[481px]:@max-[52rem]:hidden', 64: '@min-[481px]:@max-[64rem]:hidden', 80: '@min-[481px]:@max-[80rem]:hidden' }
