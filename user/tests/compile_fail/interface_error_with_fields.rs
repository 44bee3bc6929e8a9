use riposte::interface::ApplicationError;

#[derive(ApplicationError)]
enum Broken {
    Lamp(u32),
}

#[derive(ApplicationError)]
enum Zero {
    Nothing = 0,
}

#[derive(ApplicationError)]
struct Number(u32);

fn main() {}
