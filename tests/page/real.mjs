export default async function real() {}
