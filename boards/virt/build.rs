//! Finds the configuration that the image builder generated.

fn main() {
    println!("cargo::rerun-if-env-changed=RIPOSTE_CONFIG");
    if let Ok(config) = std::env::var("RIPOSTE_CONFIG") {
        println!("cargo::rerun-if-changed={config}");
        println!("cargo::rustc-cfg=configured");
    }
    println!("cargo::rustc-check-cfg=cfg(configured)");
}
